import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isFileWith, namesIn, readJson, statsAt } from "../../delivery/files";
import { installedPackage } from "../../delivery/package-root";
import { thisPlatform } from "../../delivery/platforms";
import { folderFor, type ProviderFolder, readProviderFiles } from "../../delivery/provider-files";
import { member } from "../../hcl/json";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import { PROVIDER_SOURCE } from "../../provider/names";
import { runProgram } from "../../provider/process/run-program";
import { masked } from "../../provider/secrets/known-secrets";
import { IamTokensError, printable, quote, shortened } from "../../tokens";
import { processContextIn } from "../as-provider";
import type { CliContext } from "../cli-context";
import { type CliCommand, EXIT } from "../command";
import { remedyFor } from "./terraform-words";

const NO_TERRAFORM = "Install Terraform, or name it by TERRAFORM_BINARY_NAME.";

/** A problem, with its next step; or undefined. */
type Problem = readonly [text: string, remedy: string] | undefined;

/** `iam-tokens doctor`. */
export const command: CliCommand = {
  masked,
  description:
    "Checks whether this machine can run the provider, and lets Terraform itself check the stacks in a folder (terraform validate). " +
    "Credentials are tried by the command issue.",
  operand: ["[dir]", "The folder of the project or of a stack. (default: this one)"],
  options: [],
  help: (called) => `  ${called}
  ${called} infrastructure

Exit code: 0 all is well, 1 something is not, 2 wrong arguments.`,

  action: async (command, { stdout, env, workingFolder }) => {
    // What a program says may repeat a secret of the environment.
    processContextIn(workingFolder, env);
    const folder = resolve(workingFolder, command.args[0] ?? ".");
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new IamTokensError("ERR_USAGE", `There is no folder ${quote(folder, "path")}.`, {
        remedy: "Give the folder of a project or of a stack.",
      });
    const stacks = stacksIn(folder);
    const binary = env.TERRAFORM_BINARY_NAME || "terraform";
    // In the folder of a stack, by which version managers choose.
    const [first = folder] = stacks;
    const problems: Problem[] = [];
    const say = (check: string, problem: Problem) => {
      problems.push(problem);
      const [text, remedy] = problem ?? ["well", ""];
      stdout.write(`${check}: ${printable(text)}\n${remedy && `    -> ${printable(remedy)}\n`}`);
    };
    say("node", await problemOfNode(first, env));
    const { said } = await run([binary, "version"], first, env);
    say("terraform", said === undefined ? undefined : [said, NO_TERRAFORM]);
    for (const stack of stacks)
      say(`stack ${basename(stack)}`, await problemOfStack(stack, binary, env));
    if (stacks.length === 0) say("stacks", ["There is none.", "Synthesize, or give the folder."]);
    return problems.every((each) => each === undefined) ? EXIT.ok : EXIT.failed;
  },
};

/** Runs a program; `said` is how it failed, and its own words. */
async function run(
  words: readonly [string, ...string[]],
  cwd: string,
  env: CliContext["env"],
): Promise<{ readonly said?: string; readonly stdout: string }> {
  const options = { cwd, env, limitMs: 120_000, limitBytes: 1_000_000, stderr: "pipe" } as const;
  const { end, by, stdout, stderr } = await runProgram(words, options);
  if (end === "exited" && by === "0") return { stdout: `${stdout}` };
  const printed = `${stderr}`.replaceAll(/^[╷│╵] ?/gm, "").replaceAll(/\s+/g, " ");
  const why = shortened(printed.trim(), 2_000);
  return { stdout: "", said: `${quote(words.join(" "))} fails (${by || end}). ${why}` };
}

/** The Node.js that the launcher finds, without the variables that it removes. */
async function problemOfNode(folder: string, env: CliContext["env"]): Promise<Problem> {
  const manifest = readFileSync(join(installedPackage().root, "package.json"), "utf8");
  const needed = `${member(member(JSON.parse(manifest), "engines"), "node")}`.replace(">=", "");
  const cleaned = cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS");
  const { said, stdout } = await run(["node", "-p", "process.version"], folder, cleaned);
  const found = /^v(\d\S*)\s*$/.exec(stdout)?.[1];
  if (found?.localeCompare(needed, "en", { numeric: true }) !== -1 && found) return undefined;
  return [
    said ?? `"node" in PATH prints ${quote(stdout.trim())} as its version.`,
    `Install Node.js ${needed} or newer, in PATH of the machine that runs Terraform.`,
  ];
}

/** What Terraform says about a stack; it starts the provider only if that is this package's own. */
async function problemOfStack(
  stack: string,
  binary: string,
  env: CliContext["env"],
): Promise<Problem> {
  const installed = resolve(stack, env.TF_DATA_DIR || ".terraform");
  const isAttached = env.TF_REATTACH_PROVIDERS !== undefined;
  if (!isAttached && !existsSync(installed))
    return ["It was not initialized yet: Terraform was not asked.", `Run ${binary} init.`];
  const own = readProviderFiles();
  const { stdout } = await run([binary, "version", "-json"], stack, env);
  const selected = member(parsed(stdout), "provider_selections");
  const version = `${member(selected, PROVIDER_SOURCE) ?? own.version}`;
  const place = join(installed, "providers", PROVIDER_SOURCE, version, thisPlatform());
  if (!isAttached && existsSync(place)) {
    const folder = folderFor(own, thisPlatform());
    const different = version === own.version ? differentFile(place, folder) : place;
    if (different !== undefined)
      return [
        `${quote(different, "path")} is not this package's. Terraform was not asked, because it would start it.`,
        "Synthesize again, then run init. If it differs still, find out who changed it.",
      ];
  }
  const { said } = await run([binary, "validate", "-no-color"], stack, env);
  return said === undefined ? undefined : [said, remedyFor(said)];
}

/** The first file that is missing, has another content, or is not the provider's; links differ. */
function differentFile(place: string, { files }: ProviderFolder): string | undefined {
  // Terraform links the folder of what it finds, and copies what it unpacks.
  const folder = realpathSync(place);
  const isOwn = (name: string) => {
    const own = files.find((each) => each.name === name);
    const path = join(folder, name);
    return own && statsAt(path)?.isFile() && isFileWith(path, own.content);
  };
  const names = [...namesIn(folder), ...files.map(({ name }) => name)];
  const different = names.find((name) => !isOwn(name));
  return different && join(folder, different);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The folders in which Terraform runs: this one, or those of the project's stacks. */
function stacksIn(folder: string): readonly string[] {
  if (namesIn(folder).some((name) => /\.(?:tf|tofu)(?:\.json)?$/.test(name))) return [folder];
  const output = member(readJson(join(folder, "cdktf.json")), "output") ?? "cdktf.out";
  const below = resolve(folder, `${output}`, "stacks");
  return namesIn(below)
    .map((name) => join(below, name))
    .filter((stack) => existsSync(join(stack, "cdk.tf.json")));
}
