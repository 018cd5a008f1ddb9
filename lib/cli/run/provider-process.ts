import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Usage } from "../../identity";
import { logLevelOf } from "../../plugin/launch/hclog";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import NODE_ARGUMENTS from "../../plugin/launcher/node-arguments.json";
import type { ReattachConfig } from "../../plugin/serve/serve-attached";
import type {
  AttachedSettings,
  FromProvider,
  ToProvider,
  WatchedSignal,
} from "../../provider/attached/messages";
import { IamTokensError } from "../../tokens";

/** Until it listens: Node.js starts in well under a second, unless the machine is out of breath. */
const START_MS = 30_000;
/** Until an answer about a signal. */
const ANSWER_MS = 1_000;
/** Until it has ended: it gives itself ten seconds to revoke what is to be revoked. */
const END_MS = 15_000;
/**
 * It keeps its memory small: see idleCollector. Young objects get 4 MB in the place of 16, of which
 * little is ever used.
 */
const NODE_OPTIONS = [...NODE_ARGUMENTS, "--max-semi-space-size=4", "--expose-gc"];
/** As the launcher does: no core, and SIGUSR1 is ignored until Node.js takes it. */
const SHELL = ["/bin/sh", "-c", `ulimit -c 0; trap '' USR1; exec "$0" "$@"`];
/** Of what it printed before its end, for the cause. */
const KEPT_CHARACTERS = 8_192;

interface ProviderProcessOptions {
  /** The program: `attached.js` beside the command's bundles. */
  readonly program: string;
  readonly settings: AttachedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

/**
 * The process of the attached provider: beside this one, and not in it, so that the end of neither
 * is the end of the other. It is of the same process group, which is how it knows what signals the
 * group has got.
 */
export class ProviderProcess {
  #printed = "";
  #fault: string | undefined;
  #usage: Usage | undefined;
  #closing = false;
  #lastId = 0;
  readonly #answers = new Map<number, (at: number | null) => void>();
  /** Why it has ended although nobody had asked it to. Never settles otherwise. */
  readonly endedUnasked: Promise<string>;
  readonly #exited: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    /** Null for one that only watches signals. */
    readonly reattach: ReattachConfig | null,
    exited: Promise<string>,
  ) {
    child.stderr?.on("data", (chunk: string) => this.#print(chunk));
    child.on("message", (message: FromProvider) => this.#take(message));
    this.#exited = exited.then(() => {
      if (reattach !== null)
        rmSync(dirname(reattach.Addr.String), { recursive: true, force: true });
    });
    this.endedUnasked = new Promise((resolve) => {
      void exited.then((how) => {
        if (!this.#closing) resolve(this.#cause(how));
      });
    });
  }

  /** @throws ERR_RUN_PROVIDER_FAILED */
  static async start({
    program,
    settings,
    env,
    workingFolder,
  }: ProviderProcessOptions): Promise<ProviderProcess> {
    const node = [process.execPath, ...NODE_OPTIONS, program, JSON.stringify(settings)];
    const [file = "", ...args] = process.platform === "win32" ? node : [...SHELL, ...node];
    const child = spawn(file, args, {
      cwd: workingFolder,
      env: cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS"),
      // Its log goes where Terraform's goes. Else what it prints is what Node.js says before it
      // dies.
      stdio: ["ignore", "ignore", logLevelOf(env) === undefined ? "pipe" : "inherit", "ipc"],
    });
    child.stderr?.setEncoding("utf8");
    const exited = new Promise<string>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) =>
        resolve(`Node.js cannot be started: ${error.code ?? error.name}`),
      );
      child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
    });
    const ready = new Promise<ReattachConfig | null>((resolve, reject) => {
      child.once("message", (message: FromProvider) => {
        const refuse = (problem: string) => reject(failed(problem));
        if (message.type === "ready") resolve(message.reattach);
        else if (message.type === "refused") refuse(message.problem);
        else refuse(`It met ${"fault" in message ? message.fault : message.type}.`);
      });
      void exited.then((how) => reject(failed(`It ended at its start (${how}).`)));
    });
    try {
      const reattach = await within(START_MS, ready, () => failed("It did not start in time."));
      return new ProviderProcess(child, reattach, exited);
    } catch (error) {
      child.kill("SIGKILL");
      await exited;
      throw error;
    }
  }

  /**
   * When it last got a signal, by the monotonic clock; null for never, undefined when it does not
   * answer.
   */
  async saw(signal: WatchedSignal): Promise<number | null | undefined> {
    const id = ++this.#lastId;
    const answer = new Promise<number | null>((resolve) => this.#answers.set(id, resolve));
    this.#send({ type: "saw?", id, signal });
    try {
      return await within(
        ANSWER_MS,
        Promise.race([answer, this.#exited.then(() => undefined)]),
        () => new Error(),
      );
    } catch {
      return undefined;
    } finally {
      this.#answers.delete(id);
    }
  }

  /** Ends the waits of who is connected. */
  interrupt(): void {
    this.#send({ type: "interrupt" });
  }

  /** Ends it, and gives what was done; undefined when it has not said so. Nothing of it is left. */
  async close(): Promise<Usage | undefined> {
    this.#closing = true;
    this.#send({ type: "close" });
    try {
      await within(END_MS, this.#exited, () => new Error());
    } catch {
      this.kill();
      await this.#exited;
    }
    return this.#usage;
  }

  /** Ends it at once. */
  kill(): void {
    this.#closing = true;
    this.child.kill("SIGKILL");
  }

  #take(message: FromProvider): void {
    if (message.type === "saw") this.#answers.get(message.id)?.(message.at);
    else if (message.type === "fault") this.#fault = message.fault;
    else if (message.type === "closed") this.#usage = message.usage;
  }

  #send(message: ToProvider): void {
    // An error means that it is gone, which its exit tells.
    if (this.child.connected) this.child.send(message, () => {});
  }

  #print(chunk: string): void {
    this.#printed = (this.#printed + chunk).slice(-KEPT_CHARACTERS);
  }

  #cause(how: string): string {
    if (this.#fault !== undefined) return this.#fault;
    // What Node.js says when it has no memory left, and the like: its own words, which hold nothing
    // of ours.
    const fatal = /^.*FATAL ERROR: ([\w :.,()-]{1,120})/m.exec(this.#printed)?.[1];
    return fatal === undefined ? how : `${how}: ${fatal.trim()}`;
  }
}

function failed(problem: string): IamTokensError {
  return new IamTokensError("ERR_RUN_PROVIDER_FAILED", `The provider cannot start. ${problem}`);
}

async function within<Value>(
  milliseconds: number,
  work: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
