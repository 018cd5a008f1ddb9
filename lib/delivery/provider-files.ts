import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IamTokensError } from "../tokens";
import { installedPackage } from "./package-root";

/** One file of the embedded provider. */
export interface ProviderFile {
  readonly name: string;
  readonly content: Buffer;
  /** Permission bits: the launcher must be executable. */
  readonly mode: number;
}

/** Contents of a platform's folder. */
export interface ProviderFolder {
  /** Sorted by name. */
  readonly files: readonly ProviderFile[];
  /** Their hash in Terraform's lock file. */
  readonly h1: string;
}

/** The embedded provider inside the package: platforms differ only in the launcher. */
export interface ProviderFiles {
  readonly version: string;
  readonly unix: ProviderFolder;
  readonly windows: ProviderFolder;
}

/** Contents of this platform's folder. */
export function folderFor({ unix, windows }: ProviderFiles, platform: string): ProviderFolder {
  return platform.startsWith("windows_") ? windows : unix;
}

/** The file that Terraform starts. */
export function launcherName(version: string, platform?: string): string {
  return `terraform-provider-iam_v${version}${platform?.startsWith("windows_") ? ".exe" : ""}`;
}

const known = new Map<string, ProviderFiles>();

/**
 * Reads the provider's files from `dist/terraform` of a package, by default of this one, once in a
 * process.
 *
 * @throws ERR_PROVIDER_FILES_MISSING
 */
export function readProviderFiles({ root, version } = installedPackage()): ProviderFiles {
  const folder = join(root, "dist", "terraform");
  const files = known.get(folder) ?? readFiles(folder, version);
  known.set(folder, files);
  return files;
}

function readFiles(folder: string, version: string): ProviderFiles {
  const [launcher, program] = [launcherName(version), launcherName(version, "windows_")];
  try {
    const file = (name: string, path: string, mode: number): ProviderFile => ({
      name,
      content: readFileSync(join(folder, path)),
      mode,
    });
    const shared = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== launcher)
      .map(({ name }) => file(name, name, 0o644));
    const folderWith = (name: string, path: string): ProviderFolder => {
      const own = file(name, path, 0o755);
      const files = [...shared, own].sort((a, b) => (a.name < b.name ? -1 : 1));
      return { files, h1: dirHash(files) };
    };
    return {
      version,
      unix: folderWith(launcher, launcher),
      windows: folderWith(program, join("windows", program)),
    };
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    throw new IamTokensError(
      "ERR_PROVIDER_FILES_MISSING",
      `${path} of the package cannot be read (${code}).`,
      { cause: error },
    );
  }
}

/**
 * Terraform's `h1:` hash of a package: SHA-256, in base64, of a list with one line per file, sorted
 * by name: the file's SHA-256 in hex, two spaces, its name. It covers only names and contents, and
 * so is the same on every platform.
 *
 * @param files sorted by name
 */
export function dirHash(files: readonly Pick<ProviderFile, "name" | "content">[]): string {
  const list = files.map(({ name, content }) => `${digestOf(content)}  ${name}\n`).join("");
  return `h1:${createHash("sha256").update(list).digest("base64")}`;
}

const digests = new WeakMap<Buffer, string>();

/** Once for the files that both folders have. */
function digestOf(content: Buffer): string {
  const digest = digests.get(content) ?? createHash("sha256").update(content).digest("hex");
  digests.set(content, digest);
  return digest;
}
