import { type AuthUrl, IamTokensError, quote } from "../../tokens";
import { PARTS } from "../../tokens/ways";
import type { CloudRequest } from "../clouds/gather-cloud";
import { isKnown } from "../configuration/argument";
import { are, list } from "../configuration/wording";
import type { CredentialDescription, TlsFiles } from "../credentials/credential-description";
import { describeParts } from "../credentials/describe-parts";
import type { Gathered } from "../credentials/gathered";
import {
  assertProviderBlock,
  type ProviderBlock,
  partArguments,
  unknownArguments,
} from "../credentials/provider-block";
import { loadPart } from "../process/load-part";
import {
  attachedNote,
  type ProcessContext,
  variableOf,
  variablesGiving,
} from "../process/process-context";
import { gatherBlock, tlsFilesOf } from "./gather-block";
import { currentFolder, gatherEnvironment, tlsFilesIn } from "./gather-environment";

/**
 * Finds the single source of the credentials, and describes them. The only secrets that it reads
 * are those in clouds.yaml or secure.yaml, which also contain the address.
 *
 * The provider block is the source if it gives any part of a way of signing in; otherwise the cloud
 * that it names is; otherwise the environment, including the cloud that OS_CLOUD names. The source
 * gives all parts: no module can combine its own address with the pipeline's password. The block's
 * files for TLS have precedence over those of a cloud or the environment.
 *
 * @throws the codes of the source
 */
export async function describeCredentials(
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<CredentialDescription> {
  const unknown = unknownArguments(block);
  if (unknown.length > 0) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_UNKNOWN",
      `The provider block's ${are(unknown)} not known yet.`,
    );
  }
  assertProviderBlock(block);
  const description = describeParts(await gather(block, processContext));
  return { ...description, ...tlsFilesOf(block) };
}

/**
 * The files for TLS of a request that needs no credentials: those of the credentials, if there are
 * some for this service; otherwise the environment's, and the block's before these.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
export async function describeTlsFiles(
  { v3 }: AuthUrl,
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<TlsFiles> {
  try {
    const description = await describeCredentials(block, processContext);
    if (description.authUrl.v3 === v3) return description;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
  }
  return { ...tlsFilesIn(block, processContext), ...tlsFilesOf(block) };
}

async function gather(block: ProviderBlock, processContext: ProcessContext): Promise<Gathered> {
  if (PARTS.some((part) => partArguments(part, block).length > 0))
    return gatherBlock(block, processContext);
  const cloud = cloudRequest(block, processContext);
  return cloud === undefined
    ? gatherEnvironment(block, processContext)
    : loadClouds().gatherCloud(cloud, processContext);
}

/**
 * It is loaded only here: the build puts it into `clouds.cjs`, because most users have no
 * clouds.yaml.
 */
function loadClouds(): typeof import("../clouds/gather-cloud") {
  return loadPart(
    "reads clouds.yaml",
    () => require("../clouds/gather-cloud") as typeof import("../clouds/gather-cloud"),
  );
}

/**
 * The cloud that provides the credentials: the block's, otherwise that of OS_CLOUD. Together with
 * OS_CLOUD, openstacksdk ignores OS_USERNAME and the like, but in the `openstack` command they win:
 * the combination is refused. If the block names a cloud, the environment is ignored.
 *
 * @throws ERR_CREDENTIALS_MIXED
 */
export function cloudRequest(
  block: ProviderBlock,
  processContext: ProcessContext,
): CloudRequest | undefined {
  const folder = currentFolder(block, processContext);
  if (isKnown(block.cloud))
    return asked({ name: block.cloud, source: "cloud", folder }, processContext);
  const name = variableOf(processContext, "OS_CLOUD");
  if (name === undefined) return undefined;
  const beside = PARTS.flatMap((part) => variablesGiving(part, processContext));
  if (beside.length === 0) return asked({ name, source: "environment", folder }, processContext);
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `OS_CLOUD names a cloud, but ${are(beside)} set: two sources.${attachedNote(processContext)}`,
    {
      remedy: `Unset OS_CLOUD, or unset ${list(beside)}; to keep a secret out of clouds.yaml, write it into secure.yaml.`,
    },
  );
}

function asked(request: CloudRequest, processContext: ProcessContext): CloudRequest {
  // For openstacksdk, a cloud of this name is the environment itself.
  if (request.name !== (variableOf(processContext, "OS_CLOUD_NAME") ?? "envvars")) return request;
  const origin = request.source === "cloud" ? "cloud of the provider block" : "OS_CLOUD";
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${origin} is ${quote(request.name)}, a reserved name for the OS_ variables.`,
    { remedy: "To use the variables, name no cloud." },
  );
}
