import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { readSync } from "node:fs";
import type { Readable } from "node:stream";

/** What a program is asked with. */
export interface Question {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Longest wait for its answer, in milliseconds, from its start. */
  readonly limitMs: number;
}

/**
 * A program that is started now and read later, by code that cannot await: it runs on another core
 * while the stacks are declared. It keeps nothing waiting: a process that ends does not wait for
 * it, and takes it along.
 */
export class AskedProgram {
  private text = "";
  private ended = false;
  private readonly child: ChildProcessByStdio<null, Readable, null> | undefined;
  private readonly deadline: number;
  private readonly kill = (): void => void this.child?.kill("SIGKILL");

  constructor(private readonly question: Question) {
    this.deadline = performance.now() + question.limitMs;
    this.child = this.start();
  }

  /**
   * The program's output, as far as it is needed; all of it, when it never is enough.
   *
   * @returns undefined when the program cannot be started, does not answer in time or cannot be
   * read in this way
   */
  answer(isEnough: (text: string) => boolean): string | undefined {
    const buffer = Buffer.alloc(4096);
    while (!this.ended && !isEnough(this.text)) {
      const descriptor = this.descriptor();
      if (
        descriptor === undefined ||
        performance.now() > this.deadline ||
        this.text.length > MOST
      ) {
        this.kill();
        return undefined;
      }
      this.readFrom(descriptor, buffer);
    }
    process.off("exit", this.kill);
    return this.child === undefined ? undefined : this.text;
  }

  private start(): ChildProcessByStdio<null, Readable, null> | undefined {
    const { file, args, env } = this.question;
    try {
      const child = spawn(file, args, {
        env,
        stdio: ["ignore", "pipe", "ignore"],
        windowsHide: true,
      });
      const end = (): void => {
        this.ended = true;
      };
      child
        .once("error", end)
        .once("close", () => process.off("exit", this.kill))
        .unref();
      // What arrives while the caller awaits something else.
      child.stdout.setEncoding("utf8").once("end", end);
      child.stdout.on("data", (text: string) => {
        if (this.text.length <= MOST) this.text += text;
      });
      (child.stdout as Readable & { unref?(): void }).unref?.();
      if (child.pid !== undefined) {
        process.once("exit", this.kill);
        return child;
      }
    } catch {
      // A name that cannot be a program's.
    }
    this.ended = true;
    return undefined;
  }

  /**
   * Node.js has no public way to read a child's output while nothing is awaited. Without a
   * descriptor (Windows) there is none.
   */
  private descriptor(): number | undefined {
    const stream = this.child?.stdout as
      | { readonly _handle?: { readonly fd?: unknown } | null }
      | undefined;
    const descriptor = stream?._handle?.fd;
    return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
  }

  private readFrom(descriptor: number, buffer: Buffer): void {
    try {
      const length = readSync(descriptor, buffer);
      if (length === 0) this.ended = true;
      this.text += buffer.toString("utf8", 0, length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") Atomics.wait(NOTHING, 0, 0, 1);
      else this.ended = true;
    }
  }
}

/** More characters than any answer has that is asked for in this way. */
const MOST = 64 * 1024;

/** Waited on for one millisecond at a time. */
const NOTHING = new Int32Array(new SharedArrayBuffer(4));
