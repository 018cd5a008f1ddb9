import { resolve } from "node:path";
import { IamTokensError, quote } from "../../tokens";
import { isKnown } from "../argument";
import type { CloudRequest } from "../clouds";
import { attachedNote, type Surroundings, variableOf } from "../surroundings";
import { list } from "../wording";
import { PIECES, variablesGiving } from "./pieces";
import type { ProviderBlock } from "./provider-block";

/**
 * The cloud that gives the credentials: that of the block, else that of OS_CLOUD; undefined when
 * neither names one.
 *
 * openstacksdk ignores OS_USERNAME and the like beside OS_CLOUD; the `openstack` command lets them
 * win. So both together are refused. A cloud that the block names is asked for as clearly as
 * arguments are: then the environment is not looked at.
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
    `OS_CLOUD names a cloud, and ${list(beside)} ${beside.length > 1 ? "are" : "is"} set too: two sources.${attachedNote(surroundings)}`,
    {
      remedy: `Unset OS_CLOUD, or unset ${list(beside)}; a password that is not to stand in clouds.yaml may stand in secure.yaml.`,
    },
  );
}

/**
 * What counts as the current folder for files that the environment or a cloud names: relative to
 * it, and looked for in it.
 */
export function currentFolder(block: ProviderBlock, { workingFolder }: Surroundings): string {
  return isKnown(block.clouds_folder) ? resolve(workingFolder, block.clouds_folder) : workingFolder;
}

function asked(request: CloudRequest, surroundings: Surroundings): CloudRequest {
  // To openstacksdk a cloud of this name is the environment itself.
  if (request.name !== (variableOf(surroundings, "OS_CLOUD_NAME") ?? "envvars")) return request;
  const origin = request.source === "cloud" ? "cloud of the provider block" : "OS_CLOUD";
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${origin} is ${quote(request.name)}, which stands for the OS_ variables.`,
    {
      remedy: "Name no cloud, and the variables are used.",
    },
  );
}
