import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FRAMEWORK } from "../../framework";
import { errorCodeOf, IamTokensError, quote } from "../../tokens";
import type { ActionContext, CliCommand } from "../command";
import { exitCodeOf, startCommand } from "./command-process";
import { ProviderProcess } from "./provider-process";
import { parseReattached, REATTACH, type Reattached, reattachVariables } from "./reattach";
import { SignalRelay } from "./signal-relay";
import { toJsonSummary, toTextSummary } from "./summary";

/** The options of `iam-tokens run`, from commander. */
export interface RunOptions {
  /** False with --no-cache. */
  readonly cache: boolean;
  readonly quiet?: true;
  readonly json?: string;
}

/** `iam-tokens run`. */
export const command: CliCommand<RunOptions> = {
  declare: (command, called) =>
    void command
      .description(
        `Runs a command (terraform, tofu, ${FRAMEWORK.name}, make, an npm script) with one running provider for every Terraform in it: each distinct ` +
          "token is issued once for all stacks and phases (data and ephemeral tokens are never shared, because readers of the state would " +
          "hold the ephemeral one). Terraform neither launches nor searches for the provider.",
      )
      .argument("[command...]", "The command and its arguments, with all of its own options.")
      .passThroughOptions()
      .option(
        "--no-cache",
        "Request a new token for each use. By default tokens are reused while they are valid long enough.",
      )
      .option("--json <file>", "Also write the summary as JSON, readable by you only.")
      .option("--quiet", "Print no summary.")
      .addHelpText(
        "after",
        `
Examples:
  ${called} ${FRAMEWORK.name} deploy '*' --auto-approve
  ${called} --json tokens.json make release
  ${called} sh -c 'terraform init && terraform apply'

Exit code: that of the command; 128 + n if signal n ended it, 127 if it was not found, 126 if it
cannot be executed; 2 wrong arguments, 1 the provider cannot start.`,
      ),

  action: async (options, given, context) => {
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
    const { env, workingFolder } = context;
    const present = parseReattached(env[REATTACH]);
    const json = options.json === undefined ? undefined : resolve(workingFolder, options.json);
    // Before the command runs: what is there afterwards comes from this run, or is empty.
    if (json !== undefined) writeSummary(json, "", "ERR_USAGE");
    const relay = new SignalRelay(process);
    try {
      const program = join(__dirname, "attached.js");
      const settings = { remember: options.cache };
      const provider = await ProviderProcess.start({ program, settings, env, workingFolder });
      try {
        const plan = { present, json, quiet: options.quiet === true };
        return await runWith(provider, relay, given, plan, context);
      } catch (error) {
        // Otherwise it would keep running, and this process with it.
        await provider.close();
        throw error;
      }
    } finally {
      relay.stop();
    }
  },
};

interface Plan {
  readonly present: Reattached;
  readonly json: string | undefined;
  readonly quiet: boolean;
}

async function runWith(
  provider: ProviderProcess,
  relay: SignalRelay,
  command: readonly string[],
  { present, json, quiet }: Plan,
  { env, workingFolder, stderr }: ActionContext,
): Promise<number> {
  // A signal has come before there was a command to receive it.
  if (relay.first !== undefined) {
    await provider.close();
    return exitCodeOf(relay.first);
  }
  const attached = reattachVariables(present, provider.reattach);
  const running = startCommand(command, { ...env, ...attached }, workingFolder);
  relay.connect({
    saw: (signal) => provider.saw(signal),
    forward: (signal) => {
      if (signal === "SIGINT" || signal === "SIGTERM") provider.interrupt();
      running.kill(signal);
    },
  });
  void provider.endedUnasked.then((cause) => stderr.write(`iam-tokens: ${endedText(cause)}\n`));
  const { exitCode, error } = await running.ended;
  if (error !== undefined) stderr.write(`${error.message}\n`);
  relay.disconnect(() => provider.kill());
  const usage = await provider.close();
  // Without it, the provider has ended, which was reported; the file stays empty.
  if (usage === undefined) return exitCode;
  const summary = toJsonSummary(usage);
  if (!quiet) stderr.write(toTextSummary(summary));
  try {
    if (json !== undefined) writeSummary(json, `${JSON.stringify(summary, null, 2)}\n`);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    // The exit code stays the command's.
    stderr.write(`iam-tokens: ${error.message}\n`);
  }
  return exitCode;
}

/** Writes the file of --json: a new one is readable by its owner only. */
function writeSummary(
  path: string,
  text: string,
  code: "ERR_USAGE" | "ERR_OUTPUT_FILE" = "ERR_OUTPUT_FILE",
): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    const why = errorCodeOf(error) ?? "unknown error";
    throw new IamTokensError(
      code,
      `--json names ${quote(path)}, which cannot be written (${why}).`,
      {
        remedy: "Give the path of a file in an existing, writable folder.",
      },
    );
  }
}

function endedText(cause: string): string {
  return new IamTokensError(
    "ERR_RUN_PROVIDER_FAILED",
    `The provider ended during the command (${cause}). Terraform will report that the plugin did not respond, or that its socket does not exist.`,
  ).message;
}
