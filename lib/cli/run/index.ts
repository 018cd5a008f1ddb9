import { join, resolve } from "node:path";
import type { Usage } from "../../identity";
import { defined, IamTokensError, quote } from "../../tokens";
import type { Action, ActionSurroundings } from "../command";
import { mayColour } from "../surroundings";
import { prepareOutputFile, writeOutputFile } from "../write-file";
import { exitCodeOf, startCommand } from "./command-process";
import { leaveNote, mayUse, removeLeftOvers, type StartedWith } from "./outer-run";
import { ProviderProcess } from "./provider-process";
import {
  attachedSocket,
  parseReattached,
  REATTACH,
  type Reattached,
  reattachVariables,
} from "./reattach";
import { SignalRelay } from "./signal-relay";
import { toJsonSummary, toTextSummary } from "./summary";

/** The options of `iam-tokens run`, as commander gives them. */
export interface RunOptions {
  /** False with --no-cache. */
  readonly cache: boolean;
  readonly cacheEntries?: string;
  readonly quiet?: true;
  readonly json?: string;
}

/** What `iam-tokens run` does. */
export const action: Action<RunOptions> = async (options, command, surroundings) => {
  if (command.length === 0) {
    throw new IamTokensError("ERR_USAGE", "There is no command to run.", {
      remedy: "Give it after two dashes: iam-tokens run -- terraform plan.",
    });
  }
  const { env, workingFolder, version } = surroundings;
  const started: StartedWith = { version, env, workingFolder };
  const present = parseReattached(env[REATTACH]);
  const cacheEntries = parseEntries(options.cacheEntries);
  const json = options.json === undefined ? undefined : resolve(workingFolder, options.json);
  if (json !== undefined) prepareOutputFile("--json", json);
  // An option that asks for something else than the outer run does needs a provider that does it.
  const asOuter = options.cache && cacheEntries === undefined && json === undefined;
  const socket = asOuter ? attachedSocket(present) : undefined;
  const reused = socket !== undefined && (await mayUse(socket, started));
  const settings = { serve: !reused, remember: options.cache, ...defined({ cacheEntries }) };
  const relay = new SignalRelay(process);
  try {
    const program = join(__dirname, "attached.js");
    const provider = await ProviderProcess.start({ program, settings, env, workingFolder });
    try {
      const plan = { present, json, quiet: options.quiet === true };
      return await runWith(provider, relay, command, plan, surroundings);
    } catch (error) {
      // Else it would live on, and this process with it.
      await provider.close();
      throw error;
    }
  } finally {
    relay.stop();
  }
};

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
  { env, workingFolder, stderr, version }: ActionSurroundings,
): Promise<number> {
  const { reattach } = provider;
  if (reattach !== null) {
    const socket = reattach.Addr.String;
    leaveNote(socket, { version, env, workingFolder });
    void removeLeftOvers(socket);
  }
  // A signal has come before there was a command that could take it.
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
  // The exit code stays that of the command.
  if (fault !== undefined) stderr.write(`iam-tokens: ${fault.message}\n`);
  if (usage !== undefined && !quiet) stderr.write(toTextSummary(usage, mayColour(stderr, env)));
  return exitCode;
}

function writeSummary(json: string, usage: Usage | undefined): IamTokensError | undefined {
  if (usage === undefined) {
    const problem = `${quote(json)} is not written, as the provider has ended before it could tell what it had done.`;
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
    `The provider has ended in the middle (${cause}). Terraform will say that the plugin did not respond, or that there is no socket.`,
  ).message;
}

function parseEntries(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d{1,7}$/.test(text) && count >= 1 && count <= 1_000_000) return count;
  throw new IamTokensError("ERR_USAGE", `--cache-entries is ${quote(text)}.`, {
    allowed: "a whole number from 1 to 1000000",
  });
}
