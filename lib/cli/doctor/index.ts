import { statSync } from "node:fs";
import { resolve } from "node:path";
import { assertName, IamTokensError, inert, parseAuthUrl, quote } from "../../tokens";
import type { Action } from "../command";
import { usage } from "../usage";
import { CHECKS, type CheckId, runChecks } from "./checks";
import { DoctorContext, type DoctorOptions } from "./doctor-context";
import { lineOf } from "./finding";
import { readProject } from "./project";

/** The action of `iam-tokens doctor`. */
export const action: Action<DoctorOptions> = async (options, [dir = "."], context) => {
  const { stdout, env, workingFolder } = context;
  const wanted = checksOf(options);
  assertOptions(options);
  const folder = resolve(workingFolder, dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new IamTokensError("ERR_USAGE", `${quote(dir)} is not a folder.`, {
      remedy: "Give the project's folder.",
    });
  }
  const doctor = new DoctorContext(options, await readProject(folder), context);
  const found = [];
  const toLine = lineOf(stdout, env);
  for await (const finding of runChecks(wanted, doctor)) {
    found.push(finding);
    if (options.json !== true) stdout.write(toLine(finding));
  }
  if (options.json === true) stdout.write(`${inert(JSON.stringify(found, null, 2))}\n`);
  return found.some(({ status }) => status === "failed") ? 1 : 0;
};

/** @throws ERR_USAGE for an unknown check */
function checksOf({ only }: DoctorOptions): readonly CheckId[] {
  if (only === undefined) return CHECKS;
  const names = only.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !CHECKS.some((id) => id === name));
  if (wrong !== undefined) {
    throw new IamTokensError("ERR_USAGE", `--only names ${quote(wrong)}, which is not a check.`, {
      allowed: CHECKS.join(", "),
    });
  }
  return CHECKS.filter((id) => names.includes(id));
}

/** @throws ERR_USAGE for unusable values, before any check */
function assertOptions({ authUrl, issue }: DoctorOptions): void {
  if (authUrl !== undefined) usage("--auth-url", () => parseAuthUrl(authUrl));
  if (typeof issue === "string") usage("--issue", () => assertName("the project", issue));
}
