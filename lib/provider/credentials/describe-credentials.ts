import { IamTokensError } from "../../tokens";
import { loadClouds } from "../load-clouds";
import type { Surroundings } from "../surroundings";
import { list } from "../wording";
import { assertProviderBlock } from "./check-provider-block";
import { cloudRequest } from "./cloud-request";
import type { CredentialDescription } from "./credential-description";
import { describeBlock, tlsFilesOf } from "./describe-block";
import { describeEnvironment } from "./describe-environment";
import { argumentsGiving, PIECES } from "./pieces";
import { type ProviderBlock, unknownArguments } from "./provider-block";

/**
 * Finds the one source of the credentials, and describes what it gives. Of secrets it reads those
 * that stand in clouds.yaml or secure.yaml, where the address stands too.
 *
 * The provider block is the source as soon as it gives any of address, account, user and password;
 * else the cloud that it names is; else the environment, with the cloud of OS_CLOUD if it names
 * one. The source gives all four: no module can pair an address of its own with the password of the
 * pipeline. The block's files for TLS go before those of a cloud or the environment.
 *
 * @throws ERR_CREDENTIALS_MISSING, ERR_CREDENTIALS_MIXED, ERR_CREDENTIALS_UNSUPPORTED,
 * ERR_CREDENTIALS_UNKNOWN, ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID, ERR_NAME_INVALID; with a cloud
 * ERR_CLOUD_NOT_FOUND and ERR_CLOUDS_FILE_INVALID too
 */
export async function describeCredentials(
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<CredentialDescription> {
  const unknown = unknownArguments(block);
  if (unknown.length > 0) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_UNKNOWN",
      `The provider block's ${list(unknown)} ${unknown.length > 1 ? "are" : "is"} not known yet.`,
    );
  }
  assertProviderBlock(block);
  if (PIECES.some((piece) => argumentsGiving(piece, block).length > 0))
    return describeBlock(block, surroundings);
  const cloud = cloudRequest(block, surroundings);
  if (cloud === undefined) return describeEnvironment(block, surroundings);
  return { ...(await loadClouds().describeCloud(cloud, surroundings)), ...tlsFilesOf(block) };
}
