// Tests the package as users get it: packed, installed elsewhere, used from CommonJS, ES modules
// and TypeScript.
//
//   npm test -- packaging   exits with 1 when something is wrong; npm run docs mends a stale report

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { packBoth } from "../../lib/build/pack.mjs";
import { root, run, runBeside } from "../../lib/build/project.mjs";
import {
  checkCommand,
  checkCommonJs,
  checkEsModules,
  checkLoaded,
  checkTypeScript,
} from "./consumers.mjs";
import { checkBudgets, checkContents, checkModes, checkPaths } from "./contents.mjs";
import { installPackage } from "./install.mjs";
import { checkPublint, checkTypes } from "./linters.mjs";
import { checkLinks } from "./pages.mjs";
import { checkPack, checkRelease, checkSameBytes } from "./rehearsal.mjs";
import { checkSbom } from "./sbom.mjs";
import { readTarball } from "./tarball.mjs";

let wrong = 0;

/**
 * Runs one check and gives back what it does (a string is a note, and printed); undefined when
 * something is wrong.
 */
async function step(name, check) {
  const started = performance.now();
  const time = () => `${Math.round(performance.now() - started)} ms`;
  try {
    const result = (await check()) ?? null;
    console.log(`ok     ${name} (${time()})${typeof result === "string" ? `: ${result}` : ""}`);
    return result;
  } catch (error) {
    wrong++;
    const text = error.name === "Error" ? error.message : error.stack;
    console.log(`WRONG  ${name} (${time()})\n       ${text.trim().replaceAll("\n", "\n       ")}`);
    return undefined;
  }
}

/** The checks of each of the two packages. */
async function checkPackage(tarball, scratch) {
  console.log(`${tarball.name} (${Math.ceil(statSync(tarball.path).size / 1000)} kB):`);
  await step("the tarball has what it must and nothing else", () => checkContents(tarball));
  await step("the launcher and the command have their run bit", () => checkModes(tarball));
  await step("no file names a path of the machine that built it", () => checkPaths(tarball));
  await step("sizes are within their budgets", () => checkBudgets(tarball));
  await step("its SBOM names what is bundled", () => checkSbom(tarball));
  await step("every link of its pages leads somewhere", () => checkLinks(tarball));
  await step("publint", () => checkPublint(tarball));
  await step("are the types wrong?", () => checkTypes(tarball));
  const user = await step("npm install of the tarball, offline", () =>
    installPackage(tarball, join(scratch, `user-of-${tarball.name}`)),
  );
  if (user === undefined) return;
  await step("CommonJS", () => checkCommonJs(user));
  await step("ES modules", () => checkEsModules(user));
  await step("TypeScript, by each compiler and module setting", () => checkTypeScript(user));
  await step("the commands", () => checkCommand(user));
  await step("what the entries load", () => checkLoaded(user));
}

/** What a process of its own checks, beside the others: all of it takes a core each. */
const PARTS = {
  package: (path, folder) =>
    checkPackage(readTarball(path, join(folder, `${basename(path)}.d`)), folder),
  async release(folder, ...tarballs) {
    const release = join(folder, "release");
    await step("a release: check", () => checkRelease(release));
    await step("a release: pack", () => checkPack(release));
    await step("a release: the same bytes as here", () => checkSameBytes(tarballs, release));
  },
};

/** Into a folder that has an older tarball and an archive of the registry. */
async function pack(folder) {
  mkdirSync(join(folder, "registry"), { recursive: true });
  for (const name of ["old.tgz", "registry/a.zip"]) writeFileSync(join(folder, name), "");
  const tarballs = await packBoth(folder);
  const left = readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
  const expected = [join(folder, "registry"), join(folder, "registry/a.zip"), ...tarballs];
  if (`${left.sort()}` !== `${expected.sort()}`) throw new Error(`packed/ has ${left}`);
  return tarballs;
}

async function all(scratch) {
  await step("npm run build", () =>
    run(process.execPath, [join(root, "lib/build.mjs")], { cwd: root }).trim(),
  );
  const tarballs = (await step("npm run pack", () => pack(join(scratch, "packed")))) ?? [];
  const parts = [
    ["release", scratch, ...tarballs],
    ...tarballs.map((tarball) => ["package", tarball, scratch]),
  ];
  await Promise.all(
    parts.map(async (words) => {
      const child = await runBeside(process.execPath, [import.meta.filename, ...words]).catch(
        (error) => error,
      );
      if (child instanceof Error) wrong++;
      console.log(child instanceof Error ? child.message : child.trim());
    }),
  );
}

const [part, ...words] = process.argv.slice(2);
if (part !== undefined) await PARTS[part](...words);
else {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "iam-packaging-")));
  try {
    await all(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(
    wrong === 0 ? "The package is right." : `${wrong} of the parts say that something is wrong.`,
  );
}
process.exitCode = wrong === 0 ? 0 : 1;
