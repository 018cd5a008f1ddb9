#!/usr/bin/env node
import { runCli } from "./cli";
import { currentFolder } from "./current-folder";
import { outliveTerminal } from "./lost-terminal";
import type { Terminal } from "./surroundings";

/** Put in by the build. */
declare const IAM_TOKENS_VERSION: string;

outliveTerminal();
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
