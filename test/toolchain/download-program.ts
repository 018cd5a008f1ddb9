import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { madeOnce } from "../support/cache";
import type { Release } from "./open-tofu-release";

/** Five times a release; and seconds without a byte, after which the network counts as missing. */
const LIMITS = ["--max-filesize", "200M", "--speed-limit", "1", "--speed-time", "20"];

/** Where a release's program is, once it was downloaded. */
export const programIn = (cache: string, { version, sha256, program }: Release): string =>
  join(cache, `tofu-${version}-${sha256.slice(0, 16)}`, program);

/**
 * The path of a release's program, which is downloaded first if it is missing. Nothing is unpacked
 * or kept whose SHA-256 is another one. curl downloads it: HTTPS_PROXY and NO_PROXY count.
 */
export async function downloadProgram(
  release: Release,
  cache: string,
  say: (line: string) => void,
): Promise<string> {
  const path = programIn(cache, release);
  const folder = dirname(path);
  if (existsSync(folder) && !isIntact(folder, release)) rmSync(folder, { recursive: true });
  if (existsSync(path)) return path;
  await madeOnce(folder, async (fresh) => {
    say("Downloading OpenTofu, because this machine has no Terraform.");
    const zip = join(fresh, ZIP);
    await promisify(execFile)("curl", ["-fsSL", ...LIMITS, "-o", zip, release.url]);
    const program = programOf(readFileSync(zip), release);
    writeFileSync(join(fresh, release.program), program, { mode: 0o755 });
  });
  say(`${path}: OpenTofu ${release.version}, of ${release.url}`);
  return path;
}

/** Kept next to the program: only its sum is known. */
const ZIP = "release.zip";

/** Whether what is in the cache is still the release: others may have written there since. */
function isIntact(folder: string, release: Release): boolean {
  try {
    const program = programOf(readFileSync(join(folder, ZIP)), release);
    return readFileSync(join(folder, release.program)).equals(program);
  } catch {
    return false;
  }
}

/** @throws if the file is not the release */
function programOf(zip: Uint8Array, { url, sha256, program: wanted }: Release): Uint8Array {
  const sum = createHash("sha256").update(zip).digest("hex");
  if (sum !== sha256) throw new Error(`${url} has the SHA-256 ${sum}, not ${sha256}: not used`);
  const { [wanted]: program } = unzipSync(zip, { filter: ({ name }) => name === wanted });
  if (program === undefined) throw new Error(`${url} has no ${wanted}`);
  return program;
}
