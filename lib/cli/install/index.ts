import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { addVersion } from "../../delivery/lay-out";
import { type ProviderFiles, readProviderFiles } from "../../delivery/provider-files";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError, quote } from "../../tokens";
import type { Action } from "../command";

/** The options of `iam-tokens install`, as commander gives them: there are none. */
export type InstallOptions = Readonly<Record<string, never>>;

/** What `iam-tokens install` does. */
export const action: Action<InstallOptions> = async (
  _options,
  [dir = ""],
  { workingFolder, stdout, stderr },
) => {
  const mirror = resolve(workingFolder, dir);
  if (dir === "") throw new IamTokensError("ERR_USAGE", "DIR is empty.");
  const provider = readProviderFiles();
  const base = join(mirror, ...PROVIDER_SOURCE.split("/"));
  assertFolders(base);
  const done = put(base, provider);
  if (done === "other") {
    throw new IamTokensError(
      "ERR_WRITE_FAILED",
      `${quote(join(base, provider.version))} is there already, and is not this provider.`,
      {
        remedy:
          "Look what it is; remove it, or give another folder. Lock files that name it then need their entry removed too.",
      },
    );
  }
  const what = `The provider ${PROVIDER_TYPE} ${provider.version} (${PROVIDER_SOURCE})`;
  stderr.write(`${what} ${done === "added" ? "is now" : "was already"} in ${quote(mirror)}.\n`);
  stderr.write(
    "For the configuration of Terraform's command line (~/.terraformrc, ~/.tofurc, or what TF_CLI_CONFIG_FILE names):\n\n",
  );
  stdout.write(installationLines(realpathSync(mirror)));
  stderr.write("\nIn a configuration:\n\n");
  stderr.write(
    `terraform {\n  required_providers {\n    ${PROVIDER_TYPE} = {\n      source  = "${PROVIDER_SOURCE}"\n      version = "${provider.version}"\n    }\n  }\n}\n`,
  );
  return 0;
};

function put(base: string, provider: ProviderFiles): ReturnType<typeof addVersion> {
  // A mirror is for all users of a machine, and nothing in it is secret: folders by a umask of 077
  // would hide it from Terraform.
  const umask = process.umask();
  process.umask(umask & ~0o055);
  try {
    return addVersion(base, provider);
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_WRITE_FAILED") throw error;
    throw new IamTokensError(error.code, error.problem, {
      remedy:
        "Give a folder that you may write to and that has room, or run this as a user who may.",
      cause: error.cause,
    });
  } finally {
    process.umask(umask);
  }
}

/** What is there of the way must be folders: of a file in it the system would only say ENOTDIR. */
function assertFolders(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder) assertFolders(parent);
  // Links are followed; one that leads nowhere is no folder.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new IamTokensError("ERR_WRITE_FAILED", `${quote(folder)} is not a folder.`, {
    remedy: "Give a folder, or a path where there is nothing yet.",
  });
}

/**
 * The block for Terraform's command line configuration that names a filesystem mirror. All other
 * providers come from where they came from: a configuration can have one such block only, so that
 * whoever has one already takes what is in it. It knows neither templates nor variables.
 */
function installationLines(mirror: string): string {
  const [host = ""] = PROVIDER_SOURCE.split("/");
  return `provider_installation {
  filesystem_mirror {
    path    = ${JSON.stringify(mirror)}
    include = ["${host}/*/*"]
  }
  direct {
    exclude = ["${host}/*/*"]
  }
}
`;
}
