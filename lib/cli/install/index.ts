import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { putVersion } from "../../delivery/lay-out";
import { readProviderFiles } from "../../delivery/provider-files";
import { othersMayRenameIn } from "../../plugin/launch/fresh-folder";
import { quietly } from "../../plugin/quietly";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError, printableJson, quote } from "../../tokens";
import { type CliCommand, EXIT } from "../command";

/** `iam-tokens install`. */
export const command: CliCommand = {
  description:
    "Copies the provider into a folder that Terraform and OpenTofu accept as a filesystem mirror, and prints the configuration " +
    "lines for it. It does not edit your CLI configuration.",
  operand: [
    "<dir>",
    "The folder. It is created if needed; other providers and versions in it stay.",
  ],
  options: [],
  help: (called) => `  ${called} /usr/local/share/terraform/providers
  ${called} ./mirror > mirror.tfrc
  TF_CLI_CONFIG_FILE=mirror.tfrc terraform init

Exit code: 0 installed, 1 not installed, 2 wrong arguments.`,

  action: async (command, { workingFolder, stdout, stderr }) => {
    const [dir = ""] = command.args;
    const mirror = resolve(workingFolder, dir);
    if (dir === "") throw new IamTokensError("ERR_USAGE", "DIR is empty.");
    const provider = readProviderFiles();
    const folder = join(mirror, ...PROVIDER_SOURCE.split("/"));
    refuseShared(folder);
    put(() => putVersion(folder, provider));
    stderr.write(
      `The provider ${PROVIDER_TYPE} ${provider.version} (${PROVIDER_SOURCE}) is in ${quote(mirror, "path")}.
Add to Terraform's CLI configuration (on Windows %APPDATA%\\terraform.rc, elsewhere ~/.terraformrc, or the file in TF_CLI_CONFIG_FILE):

`,
    );
    stdout.write(installation(withoutLinks(mirror)));
    stderr.write(`
Add to a Terraform configuration:

terraform {
  required_providers {
    ${PROVIDER_TYPE} = {
      source  = "${PROVIDER_SOURCE}"
      version = "${provider.version}"
    }
  }
}
`);
    return EXIT.ok;
  },
};

/** Whoever may rename the provider in a mirror decides what Terraform starts with each password. */
function refuseShared(folder: string): void {
  // Each level: whoever may replace a link on the way decides where Terraform looks.
  for (let there = folder, below = ""; there !== below; below = there, there = dirname(there)) {
    if (!existsSync(there)) continue;
    const link = quietly(() => readlinkSync(there));
    if (link !== undefined) refuseShared(resolve(withoutLinks(dirname(there)), link));
    const isTheirs = ![0, process.getuid?.()].includes(lstatSync(there).uid);
    if (isTheirs || othersMayRenameIn(withoutLinks(there), [], isShared))
      throw new IamTokensError(
        "ERR_USAGE",
        `Other users may replace what is in ${quote(there, "path")}, or a folder above it.`,
        {
          remedy:
            "Give a folder that, as all above it, only root or you may write to (chmod go-w).",
        },
      );
  }
}

/** Many systems give each user a group with the user's own number, and let it write. */
function isShared(folder: string): boolean {
  const { mode, uid, gid } = statSync(folder);
  return (mode & 0o002) !== 0 || gid !== uid;
}

function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Node.js cannot follow the links of a path like \\?\C:\folder.
    return folder;
  }
}

function put(add: () => void): void {
  // A mirror is for all users of a machine: all may read it, as it contains no secrets, and nobody
  // else may change it, because Terraform starts what is there.
  const umask = process.umask();
  process.umask(0o022);
  try {
    add();
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_WRITE_FAILED") throw error;
    throw error.with({
      remedy:
        "Give a writable folder with free disk space, in whose path everything is a folder, or run the command as a user who may write there.",
    });
  } finally {
    process.umask(umask);
  }
}

/**
 * Users merge it with a block of their own, because a configuration can have only one. Templates
 * and variables do not work in it.
 */
function installation(folder: string): string {
  const [host = ""] = PROVIDER_SOURCE.split("/");
  return `provider_installation {
  filesystem_mirror {
    path    = ${printableJson(folder)}
    include = ["${host}/*/*"]
  }
  direct {
    exclude = ["${host}/*/*"]
  }
}
`;
}
