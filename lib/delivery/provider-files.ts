import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, IamTokensError } from "../tokens";
import { installedPackage } from "./package-root";

/** One file of the embedded provider. */
export interface ProviderFile {
  readonly name: string;
  readonly content: Buffer;
  /** Permission bits: the launcher must be executable. */
  readonly mode: number;
}

/** Contents of a platform's folder. */
interface ProviderFolder {
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
export function launcherName(version: string, platform: string): string {
  return `terraform-provider-iam_v${version}${platform.startsWith("windows_") ? ".exe" : ""}`;
}

/**
 * Files of the provider in addition to the launchers. Other files in the folder (licences) are
 * copied as well.
 */
const NEEDED = ["main.cjs", "provider.cjs", "identity.cjs", "clouds.cjs", "objects.cjs"];

let cached: { readonly stamp: string; readonly files: ProviderFiles } | undefined;

/**
 * Reads the provider's files from `dist/terraform` of this package; only once in a process, unless
 * they change.
 *
 * @throws ERR_PROVIDER_FILES_MISSING
 */
export function readProviderFiles(): ProviderFiles {
  const { root, version } = installedPackage();
  const folder = join(root, "dist", "terraform");
  const launcher = launcherName(version, "linux_");
  const program = launcherName(version, "windows_");
  const inPackage = new Map([[program, join("windows", program)]]);
  const pathOf = (name: string): string => join(folder, inPackage.get(name) ?? name);
  try {
    const names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
    if (statSync(pathOf(program), { throwIfNoEntry: false })?.isFile() === true)
      names.push(program);
    names.sort();
    const missing = [launcher, program, ...NEEDED].filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw filesMissing(
        `${join("dist", "terraform")} of the package lacks ${missing.join(", ")}.`,
      );
    const stamp = names.map((name) => stampOf(pathOf(name))).join("\n");
    if (cached?.stamp !== stamp) {
      const files = names.map((name) => ({
        name,
        content: readFileSync(pathOf(name)),
        mode: name === launcher || name === program ? 0o755 : 0o644,
      }));
      const without = (other: string): ProviderFolder => {
        const own = files.filter(({ name }) => name !== other);
        return { files: own, h1: dirHash(own) };
      };
      cached = { stamp, files: { version, unix: without(program), windows: without(launcher) } };
    }
    return cached.files;
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    throw filesMissing(
      `${join("dist", "terraform")} of the package cannot be read (${errorCodeOf(error) ?? "unknown error"}).`,
    );
  }
}

/**
 * Terraform's `h1:` hash of a package: SHA-256, in base64, of a list with one line per file, sorted
 * by name: the file's SHA-256 in hex, two spaces, its name. It covers only names and contents, and
 * so is the same on every platform.
 */
export function dirHash(files: readonly Pick<ProviderFile, "name" | "content">[]): string {
  const list = [...files]
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ name, content }) => `${digestOf(content)}  ${name}\n`)
    .join("");
  return `h1:${createHash("sha256").update(list).digest("base64")}`;
}

/** The folders of all platforms share most files: each is digested once. */
const digests = new WeakMap<Buffer, string>();

function digestOf(content: Buffer): string {
  const digest = digests.get(content) ?? createHash("sha256").update(content).digest("hex");
  digests.set(content, digest);
  return digest;
}

function stampOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  return `${path} ${size} ${mtimeMs} ${ino}`;
}

function filesMissing(problem: string): IamTokensError {
  return new IamTokensError("ERR_PROVIDER_FILES_MISSING", problem);
}
