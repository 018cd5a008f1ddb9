import { IamTokensError } from "../../tokens";
import type { Surroundings } from "../surroundings";
import { list } from "../wording";
import { assertProviderBlock } from "./check-provider-block";
import type { CredentialDescription } from "./credential-description";
import { describeBlock } from "./describe-block";
import { describeEnvironment } from "./describe-environment";
import { argumentsGiving, PIECES } from "./pieces";
import { type ProviderBlock, unknownArguments } from "./provider-block";

/**
 * Finds the one source of the credentials, and describes what it gives. Reads no secret.
 *
 * The provider block is the source as soon as it gives any of address, account, user and password; else the environment is.
 * The source gives all four: no module can pair an address of its own with the password of the pipeline.
 *
 * @throws ERR_CREDENTIALS_MISSING, ERR_CREDENTIALS_MIXED, ERR_CREDENTIALS_UNSUPPORTED, ERR_CREDENTIALS_UNKNOWN,
 * ERR_NOT_BUILT_YET, ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID, ERR_NAME_INVALID
 */
export function describeCredentials(block: ProviderBlock, surroundings: Surroundings): CredentialDescription {
  const unknown = unknownArguments(block);
  if (unknown.length > 0) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_UNKNOWN",
      `The provider block's ${list(unknown)} ${unknown.length > 1 ? "are" : "is"} not known yet.`,
    );
  }
  assertProviderBlock(block);
  return PIECES.some((piece) => argumentsGiving(piece, block).length > 0)
    ? describeBlock(block, surroundings)
    : describeEnvironment(block, surroundings);
}
