import { statSync } from "node:fs";
import { resolve } from "node:path";
import { masked } from "../../provider/secrets/known-secrets";
import { assertName, IamTokensError, printableJson, quote } from "../../tokens";
import { processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { usage } from "../usage";
import type { Check } from "./context";
import { type Finding, lineOf, skipped } from "./finding";
import { checkInit } from "./init";
import { checkEnvironment, checkNode, checkProject, checkTerraform } from "./machine";
import { checkClock, checkCredentials, checkIdentityService, checkIssue, sourceIn } from "./source";
import { stacksIn } from "./stack-folders";

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

/** Checks that are skipped if one of these has failed: it has the cause, and the words. */
const NEEDS: Partial<Record<string, readonly string[]>> = {
  init: ["node", "terraform"],
  "identity-service": ["credentials"],
  clock: ["credentials", "identity-service"],
  issue: ["credentials", "identity-service"],
};

/** What a gate is about. It does not open if nothing was found out about one of them. */
const SUBJECTS: readonly { readonly about: string; readonly checks: readonly string[] }[] = [
  { about: "the stack", checks: ["init"] },
  { about: "signing in", checks: ["credentials", "identity-service", "clock", "issue"] },
];

/** The options, from commander. */
interface DoctorOptions {
  readonly only?: string;
  readonly cloud?: string;
  readonly init?: true;
  readonly issue?: true;
  readonly project?: string;
  readonly json?: true;
}

/** `iam-tokens doctor`. */
export const command: CliCommand = {
  masked,
  description:
    "Checks this machine, the credentials of the environment or of a cloud with their identity service, and, by Terraform itself, the stacks in a folder. " +
    "Prints one line for each check, and the fix for each failure.",
  operand: ["[dir]", "The folder of the project or of a stack. (default: this one)"],
  options: [
    [
      "--only <checks>",
      `Only these checks, separated by commas: ${Object.keys(CHECKS).join(", ")}.`,
    ],
    ["--cloud <name>", "Entry of clouds.yaml. (default: OS_CLOUD)"],
    ["--init", "Run terraform init in the stacks, before Terraform is asked about them."],
    [
      "--issue",
      "Also issue a token: for --project, otherwise for the project that the credentials name, otherwise for the account.",
    ],
    ["--project <name>", "Name of the project of --issue."],
    ["--json", "Print all findings as a JSON array."],
  ],
  help: (called) => `  ${called}
  ${called} infrastructure --init
  ${called} --cloud prod --issue --project web
  ${called} --only node,terraform,init --json

Exit code: 0 no check failed, 1 a check failed, or all of the stack or of signing in were skipped;
2 wrong arguments.`,

  action: async (command, { stdout, env, workingFolder, now, version, program }) => {
    const {
      only,
      cloud,
      init = false,
      issue = false,
      project,
      json,
    } = command.opts<DoctorOptions>();
    const [dir = "."] = command.args;
    // First: what it says of an argument may repeat a secret of the environment.
    processContextIn(workingFolder, env);
    const wanted = checksOf(only);
    if (cloud !== undefined) usage("--cloud", () => assertName("the name", cloud));
    if (project !== undefined) usage("--project", () => assertName("the name", project));
    if (project !== undefined && !issue)
      throw new IamTokensError("ERR_USAGE", "--project is given without --issue.");
    const folder = resolve(workingFolder, dir);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new IamTokensError("ERR_USAGE", `${quote(dir)} is not a folder.`, {
        remedy: "Give the project's folder.",
      });
    }
    const stacks = stacksIn(folder);
    const binary = env.TERRAFORM_BINARY_NAME || "terraform";
    const source = await sourceIn(folder, cloud, { env, now });
    const about = { env, now, version, program, folder, stacks, binary, source };
    const context = { ...about, init, issue, project };
    const found: (Finding & { readonly check: string })[] = [];
    for (const [check, run] of wanted) {
      const findings = found.some(
        (each) => each.status === "failed" && NEEDS[check]?.includes(each.check),
      )
        ? skipped("Not tried: first fix what is reported above.")
        : await run(context);
      for (const finding of [findings].flat()) {
        found.push({ check, ...finding });
        // Each line as soon as it is known.
        if (json !== true) stdout.write(lineOf(check, finding));
      }
    }
    const isSkipped = ({ status }: Finding) => status === "skipped";
    const closed = SUBJECTS.filter(({ about, checks }) => {
      const its = found.filter(({ check }) => checks.includes(check));
      const isThere = about !== "the stack" || stacks.length > 0 || found.every(isSkipped);
      return isThere && its.length > 0 && its.every(isSkipped);
    });
    if (json === true) stdout.write(`${printableJson(found, 2)}\n`);
    else for (const { about } of closed) stdout.write(`Nothing was checked of ${about}.\n`);
    const isFailed = closed.length > 0 || found.some(({ status }) => status === "failed");
    return isFailed ? EXIT.failed : EXIT.ok;
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
