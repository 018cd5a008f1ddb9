import { statSync } from "node:fs";
import { resolve } from "node:path";
import { partVariables } from "../../provider/credentials/environment-source";
import { variableOf } from "../../provider/process/process-context";
import { masked } from "../../provider/secrets/known-secrets";
import { IamTokensError, printableJson, quote } from "../../tokens";
import { processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { assertNames } from "../usage";
import { type DoctorContext, type Finding, lineOf, skipped } from "./finding";
import { checkInit } from "./init";
import { checkEnvironment, checkNode, checkProject, checkTerraform } from "./machine";
import { checkSource } from "./source";
import { stacksIn } from "./stack-folders";

/** The checks of the machine and of the stacks by their stable names, in their order. */
const CHECKS = {
  node: checkNode,
  terraform: checkTerraform,
  project: checkProject,
  environment: checkEnvironment,
  init: checkInit,
};
const NAMES = [...Object.keys(CHECKS), "credentials", "identity-service", "clock", "issue"];

/** The options, from commander. */
interface DoctorOptions extends Pick<DoctorContext, "cloud" | "init" | "issue" | "project"> {
  readonly only?: string;
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
    ["--only <checks>", `Only these checks, separated by commas: ${NAMES.join(", ")}.`],
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

Exit code: 0 no check failed, 1 a check failed, or was skipped with a next step, or nothing was
checked; 2 wrong arguments.`,

  action: async (command, { stdout, env, workingFolder, now, version, program }) => {
    const { only, json, ...options } = command.opts<DoctorOptions>();
    const [dir = "."] = command.args;
    // First: what it says of an argument may repeat a secret of the environment.
    const process = processContextIn(workingFolder, env);
    const names = namesIn(only);
    assertNames(options);
    if (options.project !== undefined && !options.issue)
      throw new IamTokensError("ERR_USAGE", "--project is given without --issue.");
    const folder = resolve(workingFolder, dir);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new IamTokensError("ERR_USAGE", `${quote(dir)} is not a folder.`, {
        remedy: "Give the project's folder.",
      });
    }
    const cloud = options.cloud ?? variableOf(process, "OS_CLOUD");
    const found: (Finding & { readonly check: string })[] = [];
    for await (const [check, finding] of findings(names, {
      ...options,
      ...{ env, now, version, program, folder },
      stacks: stacksIn(folder),
      binary: env.TERRAFORM_BINARY_NAME || "terraform",
      hasSource: cloud !== undefined || partVariables(process).length > 0,
    })) {
      found.push({ check, ...finding });
      // Each line as soon as it is known.
      if (!json) stdout.write(lineOf(check, finding));
    }
    if (json) stdout.write(`${printableJson(found, 2)}\n`);
    const isClosed = ({ status, remedy }: Finding) =>
      status === "failed" || (status === "skipped" && remedy !== undefined);
    // A gate that has checked nothing does not open.
    const isOpen = found.some(({ status }) => status !== "skipped") && !found.some(isClosed);
    return isOpen ? EXIT.ok : EXIT.failed;
  },
};

async function* findings(
  names: readonly string[],
  context: DoctorContext,
): AsyncGenerator<readonly [check: string, Finding]> {
  let isFailed = false;
  for (const [check, run] of Object.entries(CHECKS)) {
    if (!names.includes(check)) continue;
    const found: Finding | readonly Finding[] =
      check === "init" && isFailed
        ? skipped("Not tried: first fix what is reported above.")
        : await run(context);
    for (const finding of [found].flat()) {
      yield [check, finding];
      isFailed ||= finding.status === "failed";
    }
  }
  const isWanted = (check: string) => names.includes(check);
  if (NAMES.slice(Object.keys(CHECKS).length).some(isWanted)) yield* checkSource(context, isWanted);
}

/** @throws ERR_USAGE for an unknown check */
function namesIn(only: string | undefined): readonly string[] {
  const names = only?.split(",").map((name) => name.trim()) ?? NAMES;
  const wrong = names.find((name) => !NAMES.includes(name));
  if (wrong === undefined) return names;
  throw new IamTokensError("ERR_USAGE", `--only names ${quote(wrong)}, which is not a check.`, {
    allowed: NAMES.join(", "),
  });
}
