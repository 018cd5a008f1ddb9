import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "./command";
import { packageRoot } from "./project";
import type { Framework } from "./terrain";

/** Packages that a program needs with each framework, by their names on PyPI. */
const BESIDE = {
  cdktf: ["cdktf==0.21.0"],
  cdktn: ["cdktn==0.24.0"],
};

/** Whether there is a Python that can make virtual environments. */
export function hasPython(): boolean {
  return spawnSync("python3", ["-c", "import ensurepip, venv"]).status === 0;
}

/** The wheel and the framework's packages, as arguments of pip. */
export function packagesFor(framework: Framework): readonly string[] {
  const packed = join(packageRoot, "packed/python");
  const wheel = readdirSync(packed).find((name) => name.startsWith(`${framework}_`));
  if (wheel === undefined)
    throw new Error(`packed/python has no wheel of ${framework}: npm run pack -- languages`);
  return [join(packed, wheel), ...BESIDE[framework]];
}

export type Python = Awaited<ReturnType<typeof makePython>>;

/**
 * Makes a virtual environment in a folder, with the wheel of one of the two packages, and the
 * packages from PyPI that the tests need. Gives the folder of its programs, and their environment in addition
 * to a scratch's.
 */
export async function makePython(folder: string, framework: Framework, more: readonly string[]) {
  const bin = join(folder, "bin");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await succeed("python3", ["-m", "venv", folder], packageRoot);
  const wanted = [...packagesFor(framework), ...more];
  await succeed(join(bin, "python"), [...pip, ...wanted], packageRoot);
  return {
    bin,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      // jsii's runtime keeps unpacked files there; each test has its own home.
      JSII_RUNTIME_PACKAGE_CACHE_ROOT: join(folder, "jsii"),
      JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: process.versions.node.split(".")[0] ?? "",
      PYTHONDONTWRITEBYTECODE: "1",
    },
  };
}
