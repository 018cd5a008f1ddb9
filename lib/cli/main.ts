#!/usr/bin/env node
import { spawn } from "node:child_process";
import { closeSync, fstatSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { cleanEnvironment } from "../plugin/launcher/clean-environment";
import { runCli } from "./cli";
import { currentFolder, type Terminal } from "./cli-context";

/** Inserted by the build. */
declare const IAM_TOKENS_VERSION: string;

surviveLostTerminal();
leaveNoCore();
/**
 * Output without a reader (`| head`) is dropped; the command continues and keeps its exit code.
 */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.exitCode = 1;
  process.stderr.write(
    `Standard output cannot be written (${error.code ?? "unknown error"}): the output is incomplete.\n`,
  );
});
/**
 * Messages and summaries are not the command's result, and there is no other place to report their
 * loss.
 */
process.stderr.on("error", () => {});

const terminal = (stream: NodeJS.WriteStream & { readonly fd: number }): Terminal => ({
  write: (text) => void stream.write(text),
  isTTY: stream.isTTY === true,
  get isFile() {
    return fstatSync(stream.fd).isFile();
  },
});

/** Those that send a secret themselves: the provider of `run` has a process of its own. */
const SENDING: readonly unknown[] = ["issue", "revoke", "verify"];
const command = process.argv.slice(2).find((word) => word !== "--");
const clean = cleanEnvironment(process.env, "IAM_TOKENS_EXTRA_CA_CERTS");
const isClean = Object.keys(process.env).every((name) => name in clean);

// NODE_DEBUG would print the environment of what is started: no command begins with it.
if (isClean || process.env.NODE_DEBUG || !SENDING.includes(command)) run();
else startAgain();

/**
 * Node.js has read NODE_OPTIONS, OPENSSL_CONF and others at its start. The launcher removes them, and
 * a command must not accept a service that the provider refuses.
 */
function startAgain(): void {
  // Before its start: a signal in between would end this process, and leave the command.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)
    process.on(signal, () => command.kill(signal));
  const command = spawn(process.execPath, process.argv.slice(1), { env: clean, stdio: "inherit" });
  command.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal ?? "SIGKILL"];
  });
}

function run(): void {
  void runCli({
    version: IAM_TOKENS_VERSION,
    argv: process.argv.slice(2),
    env: process.env,
    // Evaluated when a command begins: help and version do not need it, and its errors are reported
    // like any other.
    get workingFolder() {
      return currentFolder(process.cwd);
    },
    openStdin: () => process.stdin,
    stdout: terminal(process.stdout),
    stderr: terminal(process.stderr),
    now: Date.now,
  }).then((code) => {
    // Not process.exit, which would lose output that is still on its way into a pipe.
    process.exitCode ||= code;
  });
}

/**
 * Lets this process end with its own exit code although its terminal has gone (a closed window, a
 * lost connection). At the end, Node.js restores the settings of each open terminal, and aborts if
 * that fails; it ignores closed ones.
 */
function surviveLostTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on("exit", () => {
    for (const descriptor of terminals) {
      try {
        if (!isatty(descriptor)) closeSync(descriptor);
      } catch {
        // Something has closed it before.
      }
    }
  });
}

/**
 * Ctrl-\ would leave a core dump with the secrets of this process. Other listeners handle the
 * signal as they need.
 */
function leaveNoCore(): void {
  process.on("SIGQUIT", () => {
    if (process.listenerCount("SIGQUIT") === 1) process.exit(128 + constants.signals.SIGQUIT);
  });
}
