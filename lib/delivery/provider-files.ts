import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, IamTokensError } from "../tokens";
import { installedPackage } from "./package-root";

/** One file of the embedded provider. */
interface ProviderFile {
  readonly name: string;
  readonly content: Buffer;
  /** Permission bits: the launcher needs its run bit. */
  readonly mode: number;
}

/** The embedded provider as it travels in the package: the same files for every platform. */
export interface ProviderFiles {
  readonly version: string;
  /** Sorted by name. */
  readonly files: readonly ProviderFile[];
  /** What Terraform's lock file says of them. */
  readonly h1: string;
}

/**
 * What the provider is made of, beside the launcher. Other files in the folder (licences) are
 * delivered too.
 */
const NEEDED = ["main.cjs", "provider.cjs", "identity.cjs", "clouds.cjs"];

let cached: { readonly stamp: string; readonly files: ProviderFiles } | undefined;

/**
 * Reads the provider's files from `dist/terraform` of this package; once a process while they stay
 * the same.
 *
 * @throws ERR_PROVIDER_FILES_MISSING
 */
export function readProviderFiles(): ProviderFiles {
  const { root, version } = installedPackage();
  const folder = join(root, "dist", "terraform");
  const launcher = `terraform-provider-iam_v${version}`;
  try {
    const names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
      .sort();
    const missing = [launcher, ...NEEDED].filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw filesMissing(
        `${join("dist", "terraform")} of the package lacks ${missing.join(", ")}.`,
      );
    const stamp = names.map((name) => stampOf(join(folder, name))).join("\n");
    if (cached?.stamp !== stamp) {
      const files = names.map((name) => ({
        name,
        content: readFileSync(join(folder, name)),
        mode: name === launcher ? 0o755 : 0o644,
      }));
      cached = { stamp, files: { version, files, h1: dirHash(files) } };
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
 * Terraform's `h1:` hash of a package: SHA-256, in base64, of a list with one line a file, sorted
 * by name: the file's SHA-256 in hex, two spaces, its name. It speaks of names and contents only,
 * and so is the same on every platform.
 */
export function dirHash(files: readonly Pick<ProviderFile, "name" | "content">[]): string {
  const list = [...files]
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ name, content }) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`)
    .join("");
  return `h1:${createHash("sha256").update(list).digest("base64")}`;
}

function stampOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  return `${path} ${size} ${mtimeMs} ${ino}`;
}

function filesMissing(problem: string): IamTokensError {
  return new IamTokensError("ERR_PROVIDER_FILES_MISSING", problem);
}
