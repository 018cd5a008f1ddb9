import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";
import { defined, errorCodeOf, escaped, IamTokensError, printable } from "../../tokens";
import { COMMAND_FORM } from "../../tokens/command";
import { findProgram } from "../process/find-program";
import type { ProcessContext } from "../process/process-context";
import { masked, rememberSecret, SENSITIVE } from "./known-secrets";
import type { Command, Reading } from "./secret-reference";

/** How long a command may take. */
const LIMIT_MS = 30_000;

/** How much a command may print. */
const OUTPUT_LIMIT = 64 * 1024;

/** Set to 1, it lets the standard error of a failing command through to Terraform's log. */
const COMMAND_STDERR = "IAM_TOKENS_COMMAND_STDERR";

/**
 * The standard output of a command, which is a secret: no message contains any of it, nor of its
 * standard error, which is not read unless {@link COMMAND_STDERR} asks for it. The command has the
 * environment and the working folder of the process context, and no input. It is ended with its
 * process group when it takes or prints too much, when the signal is aborted, and when this process
 * ends.
 *
 * @param limitMs milliseconds
 * @throws ERR_COMMAND_FAILED, ERR_CANCELLED
 */
export function outputOf(
  [program, ...args]: Command,
  origin: string,
  { variables, workingFolder }: ProcessContext,
  { signal, log }: Reading,
  limitMs: number = LIMIT_MS,
): Promise<Buffer> {
  const command = `The command ${escaped(program)} (${origin})`;
  const chunks: Buffer[] = [];
  let length = 0;
  let complaints = "";
  const failure = (problem: string, remedy?: string): IamTokensError => {
    if (complaints !== "")
      log("error", "a command for a secret failed", {
        command: masked(command),
        stderr: withoutOutput(complaints, Buffer.concat(chunks).toString()),
      });
    return new IamTokensError("ERR_COMMAND_FAILED", `${command} ${problem}.`, defined({ remedy }));
  };
  const file = findProgram(program, variables.PATH);
  if (file === undefined)
    return Promise.reject(failure("is in none of the absolute folders of PATH", NOT_FOUND));
  return new Promise((resolve, reject) => {
    const onWindows = process.platform === "win32";
    let child: ChildProcess;
    try {
      child = childProcess().spawn(file, args, {
        env: terraformsOf(variables),
        cwd: workingFolder,
        // Not stderr: a failing command may print the secret there.
        stdio: ["ignore", "pipe", variables[COMMAND_STDERR] === "1" ? "pipe" : "ignore"],
        // A group of its own, to end it with its children.
        detached: !onWindows,
        windowsHide: true,
      });
    } catch (error) {
      reject(failure(`cannot be started (${errorCodeOf(error)})`));
      return;
    }
    let isOver = false;
    const end = (settle: () => void): void => {
      // The end of a command that was stopped is no news.
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      forget(cancel);
      settle();
    };
    const stop = (error: IamTokensError): void => {
      endGroup(child);
      // A child that left the group may hold the pipe.
      child.stdout?.destroy();
      child.stderr?.destroy();
      end(() => reject(error));
    };
    const cancel: Cancel = (why) =>
      stop(new IamTokensError("ERR_CANCELLED", `${command} was ended: ${why}.`));
    const onAbort = () => cancel("Terraform stopped");
    const timer = setTimeout(() => {
      const limit = `${limitMs / 1000} s`;
      stop(
        child.exitCode === null && child.signalCode === null
          ? failure(`did not end within ${limit}, and was ended`, HANGS)
          : failure(`ended, but a program that it started held its output for ${limit}`, HOLDS),
      );
    }, limitMs);
    watch(cancel);
    signal.addEventListener("abort", onAbort);
    // There is none where this process may open no more files.
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > OUTPUT_LIMIT) stop(failure("printed more than 64 KiB, and was ended"));
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (complaints.length < OUTPUT_LIMIT) complaints += chunk;
    });
    child.on("error", (error) => {
      const code = errorCodeOf(error);
      const problem =
        code === "ENOENT"
          ? "does not exist, or its interpreter or the working folder does not"
          : `cannot be started (${code})`;
      const isLine = args.length === 0 && /\s/.test(program);
      end(() => reject(failure(problem, isLine ? COMMAND_FORM.remedy : NOT_FOUND)));
    });
    child.on("close", (status, by) => {
      end(() => {
        if (status === 0) resolve(Buffer.concat(chunks));
        else reject(failure(status === null ? `was ended by ${by}` : `exited with ${status}`));
      });
    });
    if (signal.aborted) onAbort();
  });
}

/**
 * The standard error of a failing command, for the log: without the lines of its standard output,
 * one of which may be the secret.
 */
function withoutOutput(stderr: string, stdout: string): string {
  // Not a part of a line: the beginning of a secret would not be recognized.
  let text = stderr.length < OUTPUT_LIMIT ? stderr : stderr.slice(0, stderr.lastIndexOf("\n") + 1);
  for (const line of stdout.split(/[\r\n]/).filter((each) => each !== "")) {
    rememberSecret(line);
    text = text.replaceAll(line, SENSITIVE);
  }
  return masked(text).trimEnd().split(/\r?\n/).map(printable).join("\n");
}

/** Signals that end this process, unless it handles them. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends a command. */
type Cancel = (why: string) => void;

/** Of the commands of this process, which share its listeners: Node.js warns about more than ten. */
const underWay = new Set<Cancel>();

function watch(cancel: Cancel): void {
  underWay.add(cancel);
  if (underWay.size > 1) return;
  process.on("exit", onExit);
  for (const name of ENDING) process.on(name, onSignal);
}

function forget(cancel: Cancel): void {
  underWay.delete(cancel);
  if (underWay.size > 0) return;
  process.removeListener("exit", onExit);
  for (const name of ENDING) process.removeListener(name, onSignal);
}

function endAll(why: string): void {
  for (const cancel of [...underWay]) cancel(why);
}

const onExit = (): void => endAll("the provider ended");

/** In groups of their own, they get none of a terminal's signals. */
function onSignal(name: NodeJS.Signals): void {
  endAll(`the provider got ${name}`);
  if (process.listenerCount(name) === 0) process.kill(process.pid, name);
}

/** Loaded only here: most launches run no command. */
const childProcess = () => require("node:child_process") as typeof import("node:child_process");

const HANGS =
  "Run it by hand, without a terminal for input (< /dev/null): it may wait for a question that nobody answers, for instance for a login.";

const HOLDS = "Let what it starts in the background write elsewhere (> /dev/null).";

const NOT_FOUND =
  "Give the path of the program, or correct PATH of the process that runs Terraform. No shell is used: to use its syntax, give a script.";

/** By its path: Windows would first search the working folder, where a module may have files. */
const TASKKILL = win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");

/** Ends a process with its children; on Windows by the system's own tool. */
function endGroup({ pid }: ChildProcess): void {
  // It was not started.
  if (pid === undefined) return;
  try {
    if (process.platform === "win32")
      childProcess()
        .spawn(TASKKILL, ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true })
        .on("error", () => {})
        .unref();
    else process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Variables by which Terraform speaks to a provider. */
const OF_PLUGINS =
  /^(?:PLUGIN_(?:CLIENT_CERT|PROTOCOL_VERSIONS|M(?:IN|AX)_PORT|MULTIPLEX_GRPC)|TF_PLUGIN_MAGIC_COOKIE)$/;

/** The environment of Terraform, from that of the provider. */
function terraformsOf(variables: ProcessContext["variables"]): NodeJS.ProcessEnv {
  const { IAM_TOKENS_EXTRA_CA_CERTS: extra, ...rest } = variables;
  const own = Object.entries(rest).filter(([name]) => !OF_PLUGINS.test(name));
  // The launcher renames it for the provider; a program in Node.js needs it by its own name.
  return { ...Object.fromEntries(own), ...defined({ NODE_EXTRA_CA_CERTS: extra }) };
}
