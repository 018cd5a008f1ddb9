import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { addVersion } from "../../delivery/lay-out";
import { addPackedVersion, archivesOf } from "../../delivery/packed-provider";
import { readProviderFiles } from "../../delivery/provider-files";
import { readReleaseArchives } from "../../delivery/release-archives";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError, printableJson, quote } from "../../tokens";
import { type CliCommand, EXIT } from "../command";

interface Options {
  readonly packed?: true;
  /** The folder of a release. */
  readonly withNode?: string;
}

/** `iam-tokens install`. */
export const command: CliCommand = {
  description:
    "Copies the provider into a folder that Terraform and OpenTofu accept as a filesystem mirror, and prints the configuration " +
    "lines for it. It does not edit your CLI configuration.",
  operand: [
    "<dir>",
    "The folder. It is created if needed; other providers and versions in it stay.",
  ],
  options: [
    [
      "--packed",
      "Write a zip archive for each platform, and the lists of a network mirror: a web server can serve the folder.",
    ],
    [
      "--with-node <archives>",
      "The same with the archives of a release, which contain Node.js: each in this folder is compared with the release's SHA256SUMS there.",
      { conflicts: ["packed"] },
    ],
  ],
  help: (called) => `  ${called} /usr/local/share/terraform/providers
  ${called} ./mirror > mirror.tfrc
  TF_CLI_CONFIG_FILE=mirror.tfrc terraform init
  ${called} --packed /srv/www/terraform
  ${called} --with-node ./release /srv/www/terraform

Exit code: 0 installed, 1 not installed, 2 wrong arguments.`,

  action: async (command, { workingFolder, stdout, stderr }) => {
    const { withNode, ...given } = command.opts<Options>();
    const packed = given.packed || withNode !== undefined;
    const [dir = ""] = command.args;
    const mirror = resolve(workingFolder, dir);
    if (dir === "") throw new IamTokensError("ERR_USAGE", "DIR is empty.");
    const provider = readProviderFiles();
    const base = join(mirror, ...PROVIDER_SOURCE.split("/"));
    const done = put(() => {
      if (!packed) return addVersion(base, provider);
      const archives =
        withNode === undefined
          ? archivesOf(provider)
          : readReleaseArchives(resolve(workingFolder, withNode), provider.version);
      return addPackedVersion(base, provider.version, archives);
    });
    if (typeof done === "object") {
      throw new IamTokensError(
        "ERR_WRITE_FAILED",
        `${quote(done.different, "path")} differs from the file of this provider ${provider.version}, or is missing.`,
        {
          remedy: `Inspect it, then remove version ${provider.version} from ${quote(base, "path")} or give another folder. If you remove it, remove its entries from lock files.`,
        },
      );
    }
    const what = `The provider ${PROVIDER_TYPE} ${provider.version} (${PROVIDER_SOURCE})`;
    stderr.write(
      `${what} ${done === "added" ? "is now" : "was already"} in ${quote(mirror, "path")}.\n`,
    );
    const files =
      process.platform === "win32"
        ? "%APPDATA%\\terraform.rc, %APPDATA%\\tofu.rc"
        : "~/.terraformrc, ~/.tofurc";
    stderr.write(
      `Add to Terraform's CLI configuration (${files}, or the file in TF_CLI_CONFIG_FILE)${packed ? ", with the address at which a web server has the folder" : ""}:\n\n`,
    );
    stdout.write(packed ? NETWORK_MIRROR : filesystemMirror(withoutLinks(mirror)));
    stderr.write("\nAdd to a Terraform configuration:\n\n");
    stderr.write(
      `terraform {\n  required_providers {\n    ${PROVIDER_TYPE} = {\n      source  = "${PROVIDER_SOURCE}"\n      version = "${provider.version}"\n    }\n  }\n}\n`,
    );
    return EXIT.ok;
  },
};

function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Node.js cannot follow the links of a path like \\?\C:\folder.
    return folder;
  }
}

function put<T>(add: () => T): T {
  // A mirror is for all users of a machine: all may read it, as it contains no secrets, and nobody
  // else may change it, because Terraform starts what is there.
  const umask = process.umask();
  process.umask(0o022);
  try {
    return add();
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

/** Users merge it with a block of their own, because a configuration can have only one. */
function installation(kind: string, place: string): string {
  const [host = ""] = PROVIDER_SOURCE.split("/");
  return `provider_installation {
  ${kind} {
    ${place}
    include = ["${host}/*/*"]
  }
  direct {
    exclude = ["${host}/*/*"]
  }
}
`;
}

/** Templates and variables do not work in Terraform's CLI configuration. */
const filesystemMirror = (folder: string): string =>
  installation("filesystem_mirror", `path    = ${printableJson(folder)}`);

const NETWORK_MIRROR = installation(
  "network_mirror",
  'url     = "https://mirror.example.com/terraform/"',
);
