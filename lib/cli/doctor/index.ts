import { statSync } from "node:fs";
import { resolve } from "node:path";
import { assertName, IamTokensError, inert, quote } from "../../tokens";
import { type CliCommand, EXIT } from "../command";
import { readProject } from "../stacks";
import { usage } from "../usage";
import type { Check } from "./check";
import { checkCredentials } from "./credentials";
import { type Finding, skipped } from "./finding";
import { checkClock, checkIdentityService } from "./identity-service";
import { checkInit } from "./init";
import { checkIssue } from "./issuing";
import { checkEnvironment, checkNode, checkProject, checkTerraform } from "./machine";
import { lineOf, merged } from "./printed";
import { servicesOf } from "./services";

/** The checks by their stable names, in the order of their dependencies. */
const CHECKS = {
  node: checkNode,
  terraform: checkTerraform,
  project: checkProject,
  environment: checkEnvironment,
  init: checkInit,
  credentials: checkCredentials,
  "identity-service": checkIdentityService,
  clock: checkClock,
  issue: checkIssue,
} satisfies Record<string, Check>;

/** A check whose failure has its cause, and its words, in another one. */
const NEEDS: Partial<Record<string, readonly string[]>> = {
  init: ["node", "terraform"],
  issue: ["credentials", "identity-service"],
};

/** The options, from commander. */
interface DoctorOptions {
  readonly only?: string;
  /** True without a project. */
  readonly issue?: string | true;
  readonly json?: true;
}

/** `iam-tokens doctor`. */
export const command: CliCommand = {
  description:
    "Checks this machine, a project (CDK for Terraform, or plain HCL) and its identity service, and changes nothing. " +
    "Prints one line for each check, and the fix for each failure.",
  operand: ["[dir]", "The folder of the project. (default: this one)"],
  options: [
    [
      "--only <checks>",
      `Only these checks, separated by commas: ${Object.keys(CHECKS).join(", ")}.`,
    ],
    [
      "--issue [project]",
      "Also issue the declared tokens, or one for the account if none is declared; with a name, one for that project instead.",
    ],
    ["--json", "Print all findings as a JSON array."],
  ],
  help: (called) => `  ${called}
  ${called} infrastructure --issue
  ${called} --only init --json

Exit code: 0 no check failed, 1 a check failed or all were skipped, 2 wrong arguments.`,

  action: async (command, { stdout, env, workingFolder, now, version }) => {
    const { only, issue, json } = command.opts<DoctorOptions>();
    const [dir = "."] = command.args;
    const wanted = checksOf(only);
    if (typeof issue === "string") usage("--issue", () => assertName("the project", issue));
    const folder = resolve(workingFolder, dir);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new IamTokensError("ERR_USAGE", `${quote(dir)} is not a folder.`, {
        remedy: "Give the project's folder.",
      });
    }
    const project = await readProject(folder);
    const binary = env.TERRAFORM_BINARY_NAME || "terraform";
    const services = await servicesOf(project, folder, env);
    const context = { env, now, version, folder, project, binary, services, issue };
    const found: (Finding & { readonly check: string })[] = [];
    for (const [check, run] of wanted) {
      const findings = found.some(
        (each) => each.status === "failed" && NEEDS[check]?.includes(each.check),
      )
        ? skipped("Not tried: first fix what is reported above.")
        : await run(context);
      for (const finding of merged([findings].flat())) {
        found.push({ check, ...finding });
        // Each line as soon as it is known.
        if (json !== true) stdout.write(lineOf(check, finding));
      }
    }
    if (json === true) stdout.write(`${inert(JSON.stringify(found, null, 2))}\n`);
    // A gate that has checked nothing must not open.
    const isNothing = found.every(({ status }) => status === "skipped");
    if (isNothing && json !== true) stdout.write("Nothing was checked.\n");
    return isNothing || found.some(({ status }) => status === "failed") ? EXIT.failed : EXIT.ok;
  },
};

/** @throws ERR_USAGE for an unknown check */
function checksOf(only: string | undefined): readonly (readonly [string, Check])[] {
  const all: readonly (readonly [string, Check])[] = Object.entries(CHECKS);
  if (only === undefined) return all;
  const names = only.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !Object.hasOwn(CHECKS, name));
  if (wrong === undefined) return all.filter(([name]) => names.includes(name));
  throw new IamTokensError("ERR_USAGE", `--only names ${quote(wrong)}, which is not a check.`, {
    allowed: Object.keys(CHECKS).join(", "),
  });
}
