import { join, resolve } from "node:path";
import { FRAMEWORK } from "../../framework";
import { isTable, type TerraformJson } from "../../hcl/json";
import { IamTokensError, isVariableName } from "../../tokens";
import type { CliContext } from "../cli-context";
import type { CliCommand } from "../command";
import { providerSources } from "../provider-sources";
import { exitCodeOf, startCommand } from "./command-process";
import { type ProviderProcess, startProvider } from "./provider-process";
import { relaySignals } from "./signal-relay";
import { summaryFile, toJsonSummary, toTextSummary } from "./summary";

/** The options, from commander. */
interface RunOptions {
  /** False with --no-cache. */
  readonly cache: boolean;
  readonly quiet?: true;
  readonly json?: true;
  readonly summary?: string;
  readonly providerSource?: readonly string[];
  readonly withhold?: readonly string[];
  readonly withholdIfSet?: readonly string[];
}

/** `iam-tokens run`. */
export const command: CliCommand = {
  description:
    `Runs a command (terraform, tofu, ${FRAMEWORK.name}, make, an npm script) with one running provider for every Terraform in it: each distinct ` +
    "token is issued once for all stacks and phases (data and ephemeral tokens are never shared, because readers of the state would " +
    "hold the ephemeral one). Terraform neither launches nor searches for the provider.",
  operand: ["[command...]", "The command and its arguments, with all of its own options."],
  passesThrough: true,
  options: [
    [
      "--no-cache",
      "Request a new token for each use. By default tokens are reused while they are valid long enough.",
    ],
    ["--json", "Print the summary as JSON."],
    ["--quiet", "Print no summary.", { conflicts: ["json"] }],
    [
      "--summary <file>",
      "At the end, write the summary as JSON into this file, readable by you only. It is a new file, or a summary.",
    ],
    [
      "--provider-source <address>",
      "An address by which the command's stacks require the provider, if it comes from a registry: OWNER/iam. May be repeated. That of the context in ./cdktf.json is known.",
      { repeats: true },
    ],
    [
      "--withhold <name>",
      "Start the command without this environment variable: the provider alone has it. May be repeated. An error if it is not set.",
      { repeats: true },
    ],
    [
      "--withhold-if-set <name>",
      "The same, for a variable that need not be set. May be repeated.",
      { repeats: true },
    ],
  ],
  help: (called) => `  ${called} ${FRAMEWORK.name} deploy '*' --auto-approve
  ${called} --summary tokens.json make release
  ${called} --withhold OS_PASSWORD --withhold OS_CLOUD terraform apply
  ${called} sh -c 'terraform init && terraform apply'

Exit code: that of the command; 128 + n if signal n ended it, 127 if it was not found, 126 if it
cannot be executed; 2 wrong arguments, 1 the provider cannot start.`,

  action: async (command, context) => {
    const { cache, quiet, json, summary: file, ...names } = command.opts<RunOptions>();
    const given = command.args;
    if (process.platform === "win32") {
      throw new IamTokensError(
        "ERR_RUN_UNSUPPORTED",
        "On Windows iam-tokens run cannot protect the provider: Terraform attaches without TLS, and any user may connect to its port.",
      );
    }
    if (given.length === 0) {
      throw new IamTokensError("ERR_USAGE", "No command is given.", {
        remedy: `Give it after the options: ${context.program} run terraform plan.`,
      });
    }
    const { env, workingFolder, stderr } = context;
    const say = (text: string) => stderr.write(`iam-tokens: ${text}\n`);
    const others = parseReattached(env[REATTACH]);
    const sources = providerSources(workingFolder, names.providerSource);
    const withheld = withheldOf(names, env);
    if (file?.startsWith("-"))
      throw new IamTokensError("ERR_USAGE", "--summary has no file.", {
        remedy: "Give one; the command begins after it.",
      });
    const summary = file === undefined ? undefined : summaryFile(resolve(workingFolder, file));
    summary?.assertWritable();
    const relay = relaySignals(process);
    let provider: ProviderProcess | undefined;
    try {
      const program = join(__dirname, "attached.js");
      const settings = { remember: cache };
      const running = await startProvider({ program, settings, env, workingFolder });
      provider = running;
      // A signal has come before there was a command to receive it.
      const first = relay.first();
      if (first !== undefined) return exitCodeOf(first);
      const started = startCommand(
        given,
        {
          ...env,
          ...Object.fromEntries(withheld.map((name) => [name, undefined])),
          [REATTACH]: JSON.stringify({
            ...others,
            ...Object.fromEntries(sources.map((source) => [source, running.reattach])),
          }),
          // The lock file needs no entry for a running provider, and no registry could provide one.
          CDKTF_SKIP_PROVIDER_LOCK: "true",
        },
        workingFolder,
      );
      relay.connect({
        saw: (signal) => running.saw(signal),
        forward: (signal) => {
          if (signal === "SIGINT" || signal === "SIGTERM") running.interrupt();
          started.kill(signal);
        },
      });
      void running.endedUnasked.then((cause) => say(endedText(cause)));
      const { exitCode, error } = await started.ended;
      if (error !== undefined) stderr.write(`${error.message}\n`);
      relay.disconnect(running.kill);
      const usage = await running.end();
      // Without it, the provider has ended, which was reported.
      if (usage !== undefined && !quiet)
        stderr.write(json ? toJsonSummary(usage) : toTextSummary(usage));
      try {
        summary?.write(usage && toJsonSummary(usage));
      } catch (error) {
        // The exit code is the command's.
        if (!IamTokensError.is(error)) throw error;
        say(error.message);
      }
      return exitCode;
    } finally {
      // Otherwise it would keep running, and this process with it.
      await provider?.end();
      relay.stop();
    }
  },
};

/** The variable that names running providers for Terraform and OpenTofu. */
const REATTACH = "TF_REATTACH_PROVIDERS";

/**
 * Running providers of others by their source addresses, which are passed on unchanged.
 *
 * @throws ERR_USAGE if the variable is not a JSON object: Terraform would refuse it as well, but
 * only after the programs that run before it
 */
function parseReattached(text = ""): TerraformJson {
  try {
    const value: unknown = JSON.parse(text.trim() || "{}");
    if (isTable(value)) return value;
  } catch {
    // Reported below.
  }
  throw new IamTokensError("ERR_USAGE", `${REATTACH} is set, but is not a JSON object.`, {
    allowed: "the value that a running provider printed for it",
    remedy: `Correct it, or unset it: unset ${REATTACH}.`,
  });
}

/**
 * The variables that the command does not get.
 *
 * @throws ERR_USAGE, also for one that is not set: a misspelt name would hand out the secret
 */
function withheldOf(
  { withhold = [], withholdIfSet = [] }: Pick<RunOptions, "withhold" | "withholdIfSet">,
  env: CliContext["env"],
): readonly string[] {
  const all = [...withhold, ...withholdIfSet];
  if (!all.every(isVariableName))
    // Not repeated: it may be a value.
    throw new IamTokensError("ERR_USAGE", "--withhold has no name of a variable.", {
      allowed: "letters, digits and underscores; no value behind them",
    });
  const missing = withhold.find((name) => env[name] === undefined);
  if (missing === undefined) return all;
  throw new IamTokensError("ERR_USAGE", `--withhold names ${missing}, which is not set.`, {
    remedy: "Correct the name, or use --withhold-if-set.",
  });
}

function endedText(cause: string): string {
  return new IamTokensError(
    "ERR_RUN_PROVIDER_FAILED",
    `The provider ended during the command (${cause}). Terraform will report that the plugin did not respond, or that its socket does not exist.`,
  ).message;
}
