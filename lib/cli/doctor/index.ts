import { statSync } from "node:fs";
import { resolve } from "node:path";
import { assertName, IamTokensError, parseAuthUrl, parseDuration, quote } from "../../tokens";
import type { Action } from "../command";
import { usage } from "../usage";
import { CHECKS, type CheckId, examine } from "./checks";
import { lineOf } from "./finding";
import { readProject } from "./project";
import { type DoctorOptions, Scene } from "./scene";

/** What `iam-tokens doctor` does. */
export const action: Action<DoctorOptions> = async (options, [dir = "."], surroundings) => {
  const { stdout, env, workingFolder } = surroundings;
  const wanted = checksOf(options);
  assertOptions(options);
  const folder = resolve(workingFolder, dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new IamTokensError("ERR_USAGE", `${quote(dir)} is no folder.`, {
      remedy: "Give the folder of the project.",
    });
  }
  const scene = new Scene(options, await readProject(folder), surroundings);
  const found = [];
  const toLine = lineOf(stdout, env);
  for await (const finding of examine(wanted, scene)) {
    found.push(finding);
    if (options.json !== true) stdout.write(toLine(finding));
  }
  if (options.json === true) stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  return found.some(({ status }) => status === "cross") ? 1 : 0;
};

/** @throws ERR_USAGE for a name that no check has */
function checksOf({ only }: DoctorOptions): readonly CheckId[] {
  if (only === undefined) return CHECKS;
  const names = only.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !CHECKS.some((id) => id === name));
  if (wrong !== undefined) {
    throw new IamTokensError("ERR_USAGE", `--only names ${quote(wrong)}, which is no check.`, {
      allowed: CHECKS.join(", "),
    });
  }
  return CHECKS.filter((id) => names.includes(id));
}

/** @throws ERR_USAGE for what could not be used, before anything is looked at */
function assertOptions({ authUrl, issue, maxAge, output }: DoctorOptions): void {
  if (authUrl !== undefined) usage("--auth-url", () => parseAuthUrl(authUrl));
  if (typeof issue === "string") usage("--issue", () => assertName("the project", issue));
  if (maxAge !== undefined) usage("--max-age", () => parseDuration(maxAge));
  if (output === undefined) return;
  if (maxAge === undefined) {
    throw new IamTokensError("ERR_USAGE", "--output is given without --max-age.", {
      remedy: "Say how old the rotation may be.",
    });
  }
  if (!/^[\p{L}_][\p{L}\p{N}_-]{0,254}$/u.test(output)) {
    throw new IamTokensError(
      "ERR_USAGE",
      `--output is ${quote(output)}, which is no name of an output.`,
    );
  }
}
