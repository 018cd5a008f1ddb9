import { IamTokensError, quote } from "../../tokens";
import type { CloudRequest } from "../clouds/describe-cloud";
import { isKnown } from "../configuration/argument";
import { are, list } from "../configuration/wording";
import {
  argumentsGiving,
  type CredentialDescription,
  PIECES,
  variablesGiving,
} from "../credentials/credential-description";
import {
  assertProviderBlock,
  type ProviderBlock,
  unknownArguments,
} from "../credentials/provider-block";
import { loadPart } from "../process/load-part";
import { attachedNote, type Surroundings, variableOf } from "../process/surroundings";
import { describeBlock, tlsFilesOf } from "./describe-block";
import { currentFolder, describeEnvironment } from "./describe-environment";

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
      `The provider block's ${are(unknown)} not known yet.`,
    );
  }
  assertProviderBlock(block);
  return { ...(await describeSource(block, surroundings)), ...tlsFilesOf(block) };
}

async function describeSource(
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<CredentialDescription> {
  if (PIECES.some((piece) => argumentsGiving(piece, block).length > 0))
    return describeBlock(block, surroundings);
  const cloud = cloudRequest(block, surroundings);
  return cloud === undefined
    ? describeEnvironment(block, surroundings)
    : loadClouds().describeCloud(cloud, surroundings);
}

/** Here, and nowhere else: the bundle keeps it in `clouds.cjs`, as most have no clouds.yaml. */
function loadClouds(): typeof import("../clouds/describe-cloud") {
  return loadPart(
    "reads clouds.yaml",
    () => require("../clouds/describe-cloud") as typeof import("../clouds/describe-cloud"),
  );
}

/**
 * The cloud that gives the credentials: that of the block, else that of OS_CLOUD. openstacksdk
 * ignores OS_USERNAME and the like beside OS_CLOUD; the `openstack` command lets them win. So both
 * together are refused. Beside a cloud that the block names the environment is not looked at.
 *
 * @throws ERR_CREDENTIALS_MIXED
 */
export function cloudRequest(
  block: ProviderBlock,
  surroundings: Surroundings,
): CloudRequest | undefined {
  const folder = currentFolder(block, surroundings);
  if (isKnown(block.cloud))
    return asked({ name: block.cloud, source: "cloud", folder }, surroundings);
  const name = variableOf(surroundings, "OS_CLOUD");
  if (name === undefined) return undefined;
  const beside = PIECES.flatMap((piece) => variablesGiving(piece, surroundings));
  if (beside.length === 0) return asked({ name, source: "environment", folder }, surroundings);
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `OS_CLOUD names a cloud, and ${are(beside)} set too: two sources.${attachedNote(surroundings)}`,
    {
      remedy: `Unset OS_CLOUD, or unset ${list(beside)}; a password that is not to stand in clouds.yaml may stand in secure.yaml.`,
    },
  );
}

function asked(request: CloudRequest, surroundings: Surroundings): CloudRequest {
  // To openstacksdk a cloud of this name is the environment itself.
  if (request.name !== (variableOf(surroundings, "OS_CLOUD_NAME") ?? "envvars")) return request;
  const origin = request.source === "cloud" ? "cloud of the provider block" : "OS_CLOUD";
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${origin} is ${quote(request.name)}, which stands for the OS_ variables.`,
    { remedy: "Name no cloud, and the variables are used." },
  );
}
