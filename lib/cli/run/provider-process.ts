import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Usage } from "../../identity";
import { logLevelOf } from "../../plugin/launch/hclog";
import { removeSocketFolder } from "../../plugin/launch/socket-folder";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import NODE_ARGUMENTS from "../../plugin/launcher/node-arguments.json";
import type { ReattachConfig } from "../../plugin/serve/serve-attached";
import { within } from "../../plugin/within";
import type {
  AttachedSettings,
  FromProvider,
  ToProvider,
  WatchedSignal,
} from "../../provider/attached/messages";
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
/** Like the launcher: without core dumps, and with SIGUSR1 ignored until Node.js handles it. */
const SHELL = ["-c", `ulimit -c 0; trap '' USR1; exec "$0" "$@"`];
/** Kept from its output, as the cause of its end. */
const KEPT_CHARACTERS = 8_192;

interface ProviderProcessOptions {
  /** The program: `attached.js` next to the command's bundles. */
  readonly program: string;
  readonly settings: AttachedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

/**
 * The process of the attached provider: separate from this one, so that neither ends with the
 * other. It is in the same process group, and therefore knows which signals the group has received.
 */
export class ProviderProcess {
  #printed = "";
  #fault: string | undefined;
  #usage: Usage | undefined;
  #killed = false;
  #lastId = 0;
  readonly #answers = new Map<number, (at: number | null) => void>();
  /** Why it has ended without a request. Never settles otherwise. */
  readonly endedUnasked: Promise<string>;
  readonly #exited: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    readonly reattach: ReattachConfig,
    exited: Promise<string>,
  ) {
    child.stderr?.on("data", (chunk: string) => this.#print(chunk));
    child.on("message", (message: FromProvider) => this.#take(message));
    this.endedUnasked = new Promise((resolve) => {
      void exited.then((how) => {
        // Before a requested end, it answers or is killed. The end of the command proves nothing:
        // without its provider, it may end before this process learns why.
        if (!this.#killed && this.#usage === undefined) resolve(this.#cause(how));
      });
    });
    this.#exited = exited.then(() => removeSocketFolder(dirname(reattach.Addr.String)));
  }

  /** @throws ERR_RUN_PROVIDER_FAILED */
  static async start({
    program,
    settings,
    env,
    workingFolder,
  }: ProviderProcessOptions): Promise<ProviderProcess> {
    const node = [process.execPath, ...NODE_OPTIONS, program, JSON.stringify(settings)];
    const child = spawn("/bin/sh", [...SHELL, ...node], {
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
    child.stderr?.setEncoding("utf8");
    const exited = new Promise<string>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) =>
        resolve(`Node.js cannot be started: ${error.code ?? error.name}`),
      );
      child.once("exit", (code, signal) => {
        const how = signal === null ? `exit code ${code}` : signal;
        // Its last message may still be in the channel.
        if (child.connected) child.once("disconnect", () => resolve(how));
        else resolve(how);
      });
    });
    const ready = new Promise<ReattachConfig>((resolve, reject) => {
      child.once("message", (message: FromProvider) => {
        const refuse = (problem: string) => reject(failed(problem));
        if (message.type === "ready") resolve(message.reattach);
        else if (message.type === "refused") refuse(message.problem);
        else refuse(`Internal error (${"fault" in message ? message.fault : message.type}).`);
      });
      void exited.then((how) => reject(failed(`It ended while starting (${how}).`)));
    });
    try {
      const reattach = await within(START_MS, ready, () => {
        throw failed("It did not start in time.");
      });
      return new ProviderProcess(child, reattach, exited);
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  /**
   * When it last got a signal, by the monotonic clock; null for never, undefined without an answer.
   */
  async saw(signal: WatchedSignal): Promise<number | null | undefined> {
    const id = ++this.#lastId;
    const answer = new Promise<number | null>((resolve) => this.#answers.set(id, resolve));
    this.#send({ type: "saw?", id, signal });
    const ended = this.#exited.then(() => undefined);
    const at = await within(ANSWER_MS, Promise.race([answer, ended]), () => undefined);
    this.#answers.delete(id);
    return at;
  }

  /** Ends the waits of connected clients. */
  interrupt(): void {
    this.#send({ type: "interrupt" });
  }

  /** Ends it, and returns its usage; undefined if it has not reported any. No process is left. */
  async end(): Promise<Usage | undefined> {
    this.#send({ type: "end" });
    await within(END_MS, this.#exited, () => this.kill());
    await this.#exited;
    return this.#usage;
  }

  /** Ends it at once. */
  kill(): void {
    this.#killed = true;
    this.child.kill("SIGKILL");
  }

  #take(message: FromProvider): void {
    if (message.type === "saw") this.#answers.get(message.id)?.(message.at);
    else if (message.type === "fault") this.#fault = message.fault;
    else if (message.type === "ended") this.#usage = message.usage;
  }

  #send(message: ToProvider): void {
    // An error means that it has gone, which its exit reports.
    if (this.child.connected) this.child.send(message, () => {});
  }

  #print(chunk: string): void {
    this.#printed = (this.#printed + chunk).slice(-KEPT_CHARACTERS);
  }

  #cause(how: string): string {
    if (this.#fault !== undefined) return this.#fault;
    // Node.js's message when memory runs out, and the like: its own words, without data of ours.
    const fatal = /^.*FATAL ERROR: ([\w :.,()-]{1,120})/m.exec(this.#printed)?.[1];
    return fatal === undefined ? how : `${how}: ${fatal.trim()}`;
  }
}

function failed(problem: string): IamTokensError {
  return new IamTokensError("ERR_RUN_PROVIDER_FAILED", `The provider cannot start. ${problem}`);
}
