import { join } from "node:path";
import { FRAMEWORK } from "../../framework";
import { isTable, type TerraformJson } from "../../hcl/json";
import type { Usage } from "../../identity";
import { IamTokensError, isVariableName, isVariablesValue, OWN_COMMAND } from "../../tokens";
import type { CliContext } from "../cli-context";
import type { CliCommand } from "../command";
import { providerSources } from "../provider-sources";
import { exitCodeOf, startCommand } from "./command-process";
import { type ProviderProcess, startProvider } from "./provider-process";
import { relaySignals } from "./signal-relay";

/** The options, from commander. */
interface RunOptions {
  readonly quiet?: true;
  readonly providerSource?: readonly string[];
  readonly withhold?: readonly string[];
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
    ["--quiet", "Print no summary."],
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
  ],
  help: (called) => `  ${called} ${FRAMEWORK.name} deploy '*' --auto-approve
  ${called} make release
  ${called} --withhold OS_PASSWORD --withhold OS_CLOUD terraform apply
  ${called} sh -c 'terraform init && terraform apply'

Exit code: that of the command; 128 + n if signal n ended it, 127 if it was not found, 126 if it
cannot be executed; 2 wrong arguments, 1 the provider cannot start.`,

  action: async (command, context) => {
    const { quiet, providerSource, withhold } = command.opts<RunOptions>();
    const given = command.args;
    if (process.platform === "win32") {
      throw new IamTokensError(
        "ERR_RUN_UNSUPPORTED",
        "On Windows iam-tokens run cannot protect the provider: Terraform attaches without TLS, and any user may connect to its port.",
      );
    }
    if (given.length === 0) {
      throw new IamTokensError("ERR_USAGE", "No command is given.", {
        remedy: `Give it after the options: ${OWN_COMMAND} run terraform plan.`,
      });
    }
    const { env, workingFolder, stderr } = context;
    const say = (text: string) => stderr.write(`iam-tokens: ${text}\n`);
    const others = parseReattached(env[REATTACH]);
    const sources = providerSources(workingFolder, providerSource);
    const withheld = withheldOf(withhold, env);
    const relay = relaySignals(process);
    let provider: ProviderProcess | undefined;
    try {
      const program = join(__dirname, "attached.js");
      const running = await startProvider({ program, env, workingFolder });
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
      if (usage !== undefined && !quiet) stderr.write(toSummary(usage));
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
function withheldOf(withhold: readonly string[] = [], env: CliContext["env"]): readonly string[] {
  if (!withhold.every((name) => isVariableName(name) && !isVariablesValue(name, env)))
    // Not repeated: it may be a value.
    throw new IamTokensError("ERR_USAGE", "--withhold has no name of a variable.", {
      allowed: "letters, digits and underscores; no value behind them",
    });
  const missing = withhold.find((name) => env[name] === undefined);
  if (missing === undefined) return withhold;
  throw new IamTokensError("ERR_USAGE", `--withhold names ${missing}, which is not set.`, {
    remedy: "Correct the name, or leave it out.",
  });
}

/** The summary: one line; empty if no token was requested. */
export function toSummary({ uses, briefUses, requests, retries, waitedMs }: Usage): string {
  if (requests === 0 && uses === 0) return "";
  const brief = briefUses > 0 ? ` (with less than 1 h left: ${briefUses})` : "";
  return `iam-tokens: uses: ${uses}${brief}, requests: ${requests}, retries: ${retries}, waited ${Math.round(waitedMs)} ms\n`;
}

function endedText(cause: string): string {
  return new IamTokensError(
    "ERR_RUN_PROVIDER_FAILED",
    `The provider ended during the command (${cause}). Terraform will report that the plugin did not respond, or that its socket does not exist.`,
  ).message;
}
