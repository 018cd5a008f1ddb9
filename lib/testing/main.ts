#!/usr/bin/env node
import { once } from "node:events";
import { runIdentityServer } from "./identity-server-command";

const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);

// The reader of the request lines may end before the server.
process.stderr.on("error", () => {});

void runIdentityServer({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  untilStopped: stopped,
}).then((code) => {
  process.exitCode = code;
  // Signal listeners do not keep a process alive, and nothing else is left.
});
