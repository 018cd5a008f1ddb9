import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { EnvHttpProxyAgent, interceptors, request } from "undici";
import { madeOnce } from "../support/cache";
import type { Release } from "./open-tofu-release";

/** Bytes: five times a release. */
const LIMIT = 200 * 1024 * 1024;

/** Milliseconds without a byte, after which the network counts as missing. */
const SILENCE_MS = 20_000;

/** Where a release's program is, once it was downloaded. */
export const programIn = (cache: string, { version, sha256, program }: Release): string =>
  join(cache, `tofu-${version}-${sha256.slice(0, 16)}`, program);

/**
 * The path of a release's program, which is downloaded first if it is missing. Nothing is unpacked
 * or kept whose SHA-256 is another one. HTTPS_PROXY and NO_PROXY count.
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
    const zip = await fetched(release.url, say);
    writeFileSync(join(fresh, ZIP), zip);
    writeFileSync(join(fresh, release.program), programOf(zip, release), { mode: 0o755 });
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

async function fetched(url: string, say: (line: string) => void): Promise<Uint8Array> {
  const agent = new EnvHttpProxyAgent({ bodyTimeout: SILENCE_MS, headersTimeout: SILENCE_MS });
  try {
    const redirected = interceptors.redirect({ maxRedirections: 5 });
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent.compose(redirected),
    });
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
    const size = Number(headers["content-length"]);
    say(`Downloading OpenTofu, because this machine has no Terraform: ${megabytes(size)}`);
    const chunks: Buffer[] = [];
    let [got, said] = [0, 0];
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      got += chunk.length;
      if (got > LIMIT) throw new Error(`${url} has more than ${megabytes(LIMIT)}`);
      const quarter = Math.floor((4 * got) / size);
      if (quarter > said && quarter < 4) say(`  ${megabytes(got)}`);
      said = Math.max(said, quarter);
    }
    return Buffer.concat(chunks);
  } finally {
    await agent.destroy();
  }
}

const megabytes = (bytes: number) =>
  Number.isNaN(bytes) ? "size unknown" : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
