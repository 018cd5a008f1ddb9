import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OWN_PACKAGE } from "../../framework";
import type { Usage } from "../../identity";
import { IamTokensError, quote } from "../../tokens";
import { mayColour } from "../cli-context";
import type { Action, ActionContext } from "../command";
import { prepareOutputFile, writeOutputFile } from "../write-file";
import { exitCodeOf, startCommand } from "./command-process";
import { ProviderProcess } from "./provider-process";
import {
  hasOuterProvider,
  parseReattached,
  REATTACH,
  type Reattached,
  reattachVariables,
} from "./reattach";
import { SignalRelay } from "./signal-relay";
import { toJsonSummary, toTextSummary } from "./summary";

/** The options of `iam-tokens run`, from commander. */
export interface RunOptions {
  /** False with --no-cache. */
  readonly cache: boolean;
  readonly quiet?: true;
  readonly json?: string;
}

/** The action of `iam-tokens run`. */
export const action: Action<RunOptions> = async (options, command, context) => {
  if (process.platform === "win32") {
    throw new IamTokensError(
      "ERR_RUN_UNSUPPORTED",
      "On Windows iam-tokens run cannot protect the provider: Terraform attaches without TLS, and any user may connect to its port.",
    );
  }
  if (command.length === 0) {
    throw new IamTokensError("ERR_USAGE", "No command is given.", {
      remedy: `Give it after the options: ${context.program} run terraform plan.`,
    });
  }
  const { env, workingFolder } = context;
  const present = parseReattached(env[REATTACH]);
  const json = options.json === undefined ? undefined : resolve(workingFolder, options.json);
  if (json !== undefined) prepareOutputFile("--json", json);
  // An option that the outer run does not have needs a provider of its own.
  const asOuter = options.cache && json === undefined;
  const serve = !(asOuter && (await hasOuterProvider(present)));
  const settings = { serve, remember: options.cache };
  const relay = new SignalRelay(process);
  try {
    const program = join(__dirname, "attached.js");
    assertOnDisk(program);
    const provider = await ProviderProcess.start({ program, settings, env, workingFolder });
    try {
      const plan = { present, json, quiet: options.quiet === true };
      return await runWith(provider, relay, command, plan, context);
    } catch (error) {
      // Otherwise it would keep running, and this process with it.
      await provider.close();
      throw error;
    }
  } finally {
    relay.stop();
  }
};

/**
 * The provider's process reads its program without Yarn's Plug'n'Play, which would load other code
 * into it, and which is needed to read a file in an archive.
 */
function assertOnDisk(program: string): void {
  for (let path = program; path !== dirname(path); path = dirname(path)) {
    if (path === program || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
    throw new IamTokensError(
      "ERR_RUN_UNSUPPORTED",
      "This package is in an archive of Yarn's Plug'n'Play, and the provider of iam-tokens run cannot be started from there.",
      {
        remedy: `Have Yarn unpack it: "dependenciesMeta": { "${OWN_PACKAGE}": { "unplugged": true } } in package.json, then yarn install.`,
      },
    );
  }
}

const OWNER_ONLY = 0o600;

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
  const { reattach } = provider;
  // A signal has come before there was a command to receive it.
  if (relay.first !== undefined) {
    await provider.close();
    return exitCodeOf(relay.first);
  }
  const running = startCommand(
    command,
    reattach === null ? env : { ...env, ...reattachVariables(present, reattach) },
    workingFolder,
  );
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
  if (reattach === null) return exitCode;
  const fault = json === undefined ? undefined : writeSummary(json, usage);
  // The exit code stays the command's.
  if (fault !== undefined) stderr.write(`iam-tokens: ${fault.message}\n`);
  if (usage !== undefined && !quiet) stderr.write(toTextSummary(usage, mayColour(stderr, env)));
  return exitCode;
}

function writeSummary(json: string, usage: Usage | undefined): IamTokensError | undefined {
  if (usage === undefined) {
    const problem = `${quote(json)} was not written: the provider ended before it reported its usage.`;
    return new IamTokensError("ERR_OUTPUT_FILE", problem, { remedy: "Run again." });
  }
  try {
    writeOutputFile(json, `${JSON.stringify(toJsonSummary(usage), null, 2)}\n`, OWNER_ONLY);
    return undefined;
  } catch (error) {
    if (IamTokensError.is(error)) return error;
    throw error;
  }
}

function endedText(cause: string): string {
  return new IamTokensError(
    "ERR_RUN_PROVIDER_FAILED",
    `The provider ended during the command (${cause}). Terraform will report that the plugin did not respond, or that its socket does not exist.`,
  ).message;
}
