import { spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Usage } from "../../identity";
import { logLevelOf } from "../../plugin/launch/hclog";
import { removeSocketFolder } from "../../plugin/launch/socket-folder";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import NODE_ARGUMENTS from "../../plugin/launcher/node-arguments.json";
import type { ReattachConfig } from "../../plugin/serve/serve-attached";
import { within } from "../../plugin/within";
import type { FromProvider, ToProvider, WatchedSignal } from "../../provider/attached/messages";
import { IamTokensError } from "../../tokens";

/**
 * Time until it listens: Node.js starts in well under a second, unless the machine is overloaded.
 */
const START_MS = 30_000;
/** Time for an answer about a signal. */
const ANSWER_MS = 5_000;
/** Time until it has ended: it has ten seconds for revoking tokens. */
const END_MS = 15_000;
/**
 * Keeps its memory small. Young objects get 4 MB instead of 16, of which little
 * is ever used. WebAssembly, with which undici parses answers, would reserve 10 GB of addresses,
 * more than a `ulimit -v` may allow.
 */
const NODE_OPTIONS = [...NODE_ARGUMENTS, "--max-semi-space-size=4", "--disable-wasm-trap-handler"];
/** Like the launcher: without core dumps, and no SIGUSR1 ends it before Node.js handles that. */
const SHELL = ["-c", `ulimit -c 0; trap '' USR1; exec "$0" "$@"`];
/** Kept from its output, as the cause of its end. */
const KEPT_CHARACTERS = 8_192;

interface ProviderProcessOptions {
  /** The program: `attached.js` next to the command's bundles. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

/**
 * The process of the attached provider: separate from this one, so that neither ends with the
 * other. It is in the same process group, and therefore knows which signals the group has received.
 */
export interface ProviderProcess {
  readonly reattach: ReattachConfig;
  /** Why it has ended without a request. Never settles otherwise. */
  readonly endedUnasked: Promise<string>;
  /**
   * When it last got a signal, by the monotonic clock; null for never, undefined without an answer.
   */
  saw(signal: WatchedSignal): Promise<number | null | undefined>;
  /** Ends the waits of connected clients. */
  interrupt(): void;
  /** Ends it, and returns its usage; undefined if it has not reported any. No process is left. */
  end(): Promise<Usage | undefined>;
  /** Ends it at once. */
  kill(): void;
}

/** @throws ERR_RUN_PROVIDER_FAILED */
export async function startProvider(options: ProviderProcessOptions): Promise<ProviderProcess> {
  const child = spawnProvider(options);
  let printed = "";
  let fault: string | undefined;
  let usage: Usage | undefined;
  let killed = false;
  let lastId = 0;
  const answers = new Map<number, (at: number | null) => void>();
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    printed = (printed + chunk).slice(-KEPT_CHARACTERS);
  });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve(`/bin/sh cannot be started: ${error.code ?? error.name}`),
    );
    child.once("exit", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal;
      // Its last message may still be in the channel.
      if (child.connected) child.once("disconnect", () => resolve(how));
      else resolve(how);
    });
  });
  const ready = new Promise<ReattachConfig>((resolve, reject) => {
    const refuse = (problem: string) => reject(failed(problem));
    child.on("message", (message: FromProvider) => {
      if (message.type === "ready") resolve(message.reattach);
      else if (message.type === "refused") refuse(message.problem);
      else if (message.type === "saw") answers.get(message.id)?.(message.at);
      else if (message.type === "ended") usage = message.usage;
      else {
        fault = message.fault;
        refuse(`Internal error (${fault}).`);
      }
    });
    void exited.then((how) => refuse(`It ended while starting (${how}).`));
  });
  const kill = () => {
    killed = true;
    child.kill("SIGKILL");
  };
  const reattach = await within(START_MS, ready, () => {
    throw failed("It did not start in time.");
  }).catch(async (error: unknown) => {
    kill();
    await exited;
    throw error;
  });
  const gone = exited.then(() => removeSocketFolder(dirname(reattach.Addr.String)));
  const send = (message: ToProvider): void => {
    // An error means that it has gone, which its exit reports.
    if (child.connected) child.send(message, () => {});
  };
  return {
    reattach,
    endedUnasked: new Promise((resolve) => {
      void exited.then((how) => {
        // Before a requested end, it answers or is killed. The end of the command proves nothing:
        // without its provider, it may end before this process learns why.
        if (!killed && usage === undefined) resolve(fault ?? causeOf(how, printed));
      });
    }),
    async saw(signal) {
      const id = ++lastId;
      const answer = new Promise<number | null>((resolve) => answers.set(id, resolve));
      send({ type: "saw?", id, signal });
      const ended = gone.then(() => undefined);
      const at = await within(ANSWER_MS, Promise.race([answer, ended]), () => undefined);
      answers.delete(id);
      return at;
    },
    interrupt: () => send({ type: "interrupt" }),
    async end() {
      send({ type: "end" });
      await within(END_MS, gone, kill);
      await gone;
      return usage;
    },
    kill,
  };
}

function spawnProvider({ program, env, workingFolder }: ProviderProcessOptions) {
  const node = [process.execPath, ...NODE_OPTIONS, program];
  return spawn("/bin/sh", [...SHELL, ...node], {
    cwd: workingFolder,
    env: {
      ...cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS"),
      // Explicitly undefined: otherwise Node.js passes on its own.
      NODE_V8_COVERAGE: undefined,
    },
    // Its log goes to the same place as Terraform's. Without one, its only output is Node.js's
    // message before a crash.
    stdio: ["ignore", "ignore", logLevelOf(env) === undefined ? "pipe" : "inherit", "ipc"],
  });
}

/** Node.js's message when memory runs out, and the like: its own words, without data of ours. */
function causeOf(how: string, printed: string): string {
  const fatal = /^.*FATAL ERROR: ([\w :.,()-]{1,120})/m.exec(printed)?.[1];
  return fatal === undefined ? how : `${how}: ${fatal.trim()}`;
}

function failed(problem: string): IamTokensError {
  return new IamTokensError("ERR_RUN_PROVIDER_FAILED", `The provider cannot start. ${problem}`);
}
