import { spawnSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { packageVersion } from "../../lib/delivery/package-root";
import { createServerIdentity } from "../../lib/plugin/tls/server-identity";
import { type ArchiveOptions, packArchives } from "./archives";
import { cacheFolder, runTool } from "./cache";
import { LoopbackServer } from "./loopback-server";
import { blocksOf } from "./pages";

/** The files of a release, packed once for all tests of a file; its key was made for it. */
export type Release = ReturnType<typeof packRelease>;

const PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64"];

/** Why it cannot be packed here; empty if it can. */
export const cannotPack = (): string =>
  ["gpg", "python3", "npm"]
    .filter((name) => spawnSync(name, ["--version"]).status !== 0)
    .map((name) => `${name} is not here`)
    .join(", ");

/** Packs and signs a release, by default of all platforms. */
export function packRelease(options: ArchiveOptions = {}) {
  mkdirSync(cacheFolder(), { recursive: true });
  const base = mkdtempSync(join(cacheFolder(), "release-"));
  // Its agent listens in there.
  const home = mkdtempSync("/tmp/gpg-");
  const env = { ...process.env, GNUPGHOME: home };
  const gpg = (...args: readonly string[]) => runTool("gpg", ["--batch", ...args], base, env);
  try {
    gpg("--passphrase", "", "--quick-generate-key", "release@invalid", "rsa2048", "sign", "1d");
    const [, id = ""] =
      /^pub:(?:[^:]*:){3}([^:]*)/m.exec(gpg("--with-colons", "--list-keys")) ?? [];
    const folder = join(base, "packed");
    packArchives(folder, { ...options, key: id, env });
    /** Its id, and the public part. */
    const key = { id, ascii: gpg("--armor", "--export", id) };
    return { folder, key, remove: () => rmSync(base, { recursive: true }) };
  } catch (error) {
    rmSync(base, { recursive: true });
    throw error;
  } finally {
    runTool("gpgconf", ["--kill", "all"], base, env);
    rmSync(home, { recursive: true, force: true });
  }
}

/** A registry of providers, by Terraform's protocol, on loopback over https. */
export type Registry = Awaited<ReturnType<typeof serveRegistry>>;

/**
 * Serves a release, under its version and an older one.
 *
 * @see https://developer.hashicorp.com/terraform/internals/provider-registry-protocol
 */
export async function serveRegistry({ folder, key }: Release) {
  const { certificatePem: cert, keyPem } = createServerIdentity();
  const name = `terraform-provider-iam_${packageVersion()}`;
  const sums = readFileSync(join(folder, `${name}_SHA256SUMS`), "utf8");
  const { metadata } = JSON.parse(readFileSync(join(folder, `${name}_manifest.json`), "utf8"));
  const protocols = metadata.protocol_versions;
  const platforms = PLATFORMS.map((platform) => {
    const [os, arch] = platform.split("_");
    return { os, arch };
  });
  const versions = [OLDER, packageVersion()].map((version) => ({ version, protocols, platforms }));
  const signing_keys = { gpg_public_keys: [{ key_id: key.id, ascii_armor: key.ascii }] };
  const download = (os: string, arch: string) => {
    const filename = `${name}_${os}_${arch}.zip`;
    return {
      ...{ protocols, os, arch, filename, signing_keys, download_url: `/files/${filename}` },
      shasums_url: `/files/${name}_SHA256SUMS`,
      shasums_signature_url: `/files/${name}_SHA256SUMS.sig`,
      shasum: new RegExp(`^(\\w+) {2}${filename}$`, "m").exec(sums)?.[1],
    };
  };
  const server = createServer({ key: keyPem, cert }, ({ url = "" }, response) => {
    const json = (value: object) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    const [, os, arch] = /\/download\/(\w+)\/(\w+)$/.exec(url) ?? [];
    const file = join(folder, url.replace(/^\/files\//, ""));
    if (url === "/.well-known/terraform.json") json({ "providers.v1": "/v1/providers/" });
    else if (url.endsWith("/versions")) json({ versions });
    else if (os !== undefined && arch !== undefined) json(download(os, arch));
    else if (existsSync(file)) createReadStream(file).pipe(response);
    else response.writeHead(404).end();
  });
  const listening = await new LoopbackServer(server).listen();
  return {
    /** Of the provider in it. */
    source: `localhost:${listening.port}/example/iam`,
    /** What a client must trust. */
    certificate: cert,
    close: () => listening.close(),
  };
}

/** A version with the same files, to upgrade from. */
export const OLDER = "0.0.1";

/** The module of docs/without-npm.md. */
export function pageModule(required: string, authUrl: string): string {
  const [{ text } = { text: "" }] = blocksOf("docs/without-npm.md", "hcl");
  return text
    .replace('{ source = "OWNER/iam" }', required)
    .replace("https://cloud.api.example.com", authUrl)
    .replace("https://api.example.com", `${authUrl}/echo`);
}
