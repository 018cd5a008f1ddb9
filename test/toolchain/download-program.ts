import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { EnvHttpProxyAgent, interceptors, request } from "undici";
import { madeOnce } from "../support/cache";
import type { Release } from "./open-tofu-release";

/** Bytes: five times a release. */
const LIMIT = 200 * 1024 * 1024;

/** Milliseconds without a byte, after which the network counts as missing. */
const SILENCE_MS = 20_000;

/** Where a release's program is, once it was downloaded. Its sum is in the path. */
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
  if (existsSync(path)) return path;
  await madeOnce(dirname(path), async (fresh) => {
    const zip = await fetched(release.url, say);
    const sum = createHash("sha256").update(zip).digest("hex");
    if (sum !== release.sha256)
      throw new Error(`${release.url} has the SHA-256 ${sum}, not ${release.sha256}: not used`);
    const { [release.program]: program } = unzipSync(zip, {
      filter: ({ name }) => name === release.program,
    });
    if (program === undefined) throw new Error(`${release.url} has no ${release.program}`);
    writeFileSync(join(fresh, release.program), program, { mode: 0o755 });
  });
  say(`${path}: OpenTofu ${release.version}, of ${release.url}`);
  return path;
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
