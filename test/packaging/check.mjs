// Tests the package as users get it: packed, installed elsewhere, used from CommonJS, ES modules
// and TypeScript.
//
//   npm run packaging   exits with 1 when something is wrong; npm run docs mends a stale report

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkApiReport } from "./api-report.mjs";
import {
  checkCommand,
  checkCommonJs,
  checkEsModules,
  checkLauncher,
  checkMatcherTypes,
  checkStart,
  checkTypeScript,
} from "./consumers.mjs";
import { checkBudgets, checkContents, checkModes, checkPaths } from "./contents.mjs";
import { installPackage } from "./install.mjs";
import { checkJsii } from "./jsii.mjs";
import { checkPublint, checkTypes } from "./linters.mjs";
import { Problems } from "./problems.mjs";
import { checkReproducible } from "./reproducible.mjs";
import { pack, run } from "./tarball.mjs";

const root = resolve(import.meta.dirname, "../..");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "iam-packaging-")));
let wrong = 0;

/**
 * Runs one check and gives back what it does (a text is a note, and printed); undefined when
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
    const text = error instanceof Problems ? error.message : error.stack;
    console.log(`WRONG  ${name} (${time()})\n       ${text.trim().replaceAll("\n", "\n       ")}`);
    return undefined;
  }
}

try {
  await step("npm run build", () =>
    run(process.execPath, [join(root, "lib/build.mjs")], { cwd: root }).trim(),
  );
  await step("the checked-in API report is what dist declares", () => checkApiReport(root, false));
  await step("README's table of error codes, and docs/errors.md, are those of the code", () => {
    run(process.execPath, [join(root, "test/packaging/error-table.mjs")]);
  });
  await step("docs/product-areas.md is that of the code", () => {
    run(process.execPath, [join(root, "test/packaging/product-areas.mjs")]);
  });
  await step("the build gives the same bytes in another folder", () =>
    checkReproducible(root, join(scratch, "elsewhere")),
  );
  await step("the construct API is jsii-clean", () => checkJsii(root, join(scratch, "jsii")));
  const tarball = await step("npm pack", () => pack(root, scratch));
  if (tarball !== undefined) {
    await step("the tarball has what it must and nothing else", () => checkContents(tarball));
    await step("the launcher and the command have their run bit", () => checkModes(tarball));
    await step("no file names a path of the machine that built it", () =>
      checkPaths(tarball, root),
    );
    await step("sizes are within their budgets", () => checkBudgets(tarball));
    await step("publint", () => checkPublint(root, tarball));
    await step("are the types wrong?", () => checkTypes(root, tarball));
    const user = await step("npm install of the tarball, offline", () =>
      installPackage(root, tarball, join(scratch, "user")),
    );
    if (user !== undefined) {
      const { folder } = user;
      await step("CommonJS", () => checkCommonJs(folder));
      await step("ES modules", () => checkEsModules(folder));
      await step("TypeScript, by each compiler and module setting", () =>
        checkTypeScript(root, folder),
      );
      await step("the matchers' types, under each expect that is here", () =>
        checkMatcherTypes(root, folder),
      );
      await step("the command of the identity server", () => checkCommand(folder));
      await step("the launcher, started by hand", () => checkLauncher(folder));
      await step("start times", () => checkStart(folder));
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(
  wrong === 0 ? "The package is right." : `${wrong} of the checks say that something is wrong.`,
);
process.exitCode = wrong === 0 ? 0 : 1;
