#!/usr/bin/env node
import { closeSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { runCli } from "./cli";
import { currentFolder, type Terminal } from "./surroundings";

/** Put in by the build. */
declare const IAM_TOKENS_VERSION: string;

outliveTerminal();
dropNoCore();
/**
 * What nobody reads any more (`| head`) is dropped; the command goes on, and its exit code stays
 * its own.
 */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.exitCode = 1;
  process.stderr.write(
    `Standard output cannot be written (${error.code ?? "unknown error"}): what was asked for is not there.\n`,
  );
});
/**
 * Messages and summaries are not the command's result, and nowhere else could it be said that they
 * are lost.
 */
process.stderr.on("error", () => {});

const terminal = (stream: NodeJS.WriteStream): Terminal => ({
  write: (text) => void stream.write(text),
  isTTY: stream.isTTY === true,
  columns: stream.isTTY === true && stream.columns > 0 ? stream.columns : undefined,
});

void runCli(IAM_TOKENS_VERSION, {
  argv: process.argv.slice(2),
  env: process.env,
  // Asked when a command begins: help and version need none, and what is wrong with it is told as
  // any error is.
  get workingFolder() {
    return currentFolder(process.cwd);
  },
  stdout: terminal(process.stdout),
  stderr: terminal(process.stderr),
  now: Date.now,
}).then((code) => {
  // Not process.exit, which would cut off what is still on its way into a pipe.
  process.exitCode ||= code;
});

/**
 * Lets this process end with its own exit code although its terminal has gone (a window that was
 * closed, a connection that broke). At its end Node.js gives each terminal the settings that it
 * had, and aborts when that fails; what is closed it leaves alone.
 */
function outliveTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on("exit", () => {
    for (const descriptor of terminals) if (!isatty(descriptor)) close(descriptor);
  });
}

/**
 * Ctrl-\ would leave a core with the secrets of this process in it. Who listens too, does with the
 * signal what is right.
 */
function dropNoCore(): void {
  process.on("SIGQUIT", () => {
    if (process.listenerCount("SIGQUIT") === 1) process.exit(128 + constants.signals.SIGQUIT);
  });
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Somebody has closed it before.
  }
}
