#!/usr/bin/env node
import { once } from "node:events";
import { runIdentityServer } from "./identity-server-command";

const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);

// Whoever reads the lines of requests may end before the server does.
process.stderr.on("error", () => {});

void runIdentityServer({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  untilStopped: stopped,
}).then((code) => {
  process.exitCode = code;
  // A signal listener does not keep a process alive; nothing else is left that would.
});
