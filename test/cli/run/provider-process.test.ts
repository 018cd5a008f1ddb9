import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProviderProcess, startProvider } from "../../../lib/cli/run/provider-process";
import { monotonicNow } from "../../../lib/tokens";
import { pidOf } from "../../support/processes";
import { useScratch } from "../../support/scratch";

const scratch = useScratch();
const path = (name: string) => join(scratch.folder, name);
const started: ProviderProcess[] = [];
beforeEach(() => {
  writeFileSync(path("program.js"), "eval(process.env.PROGRAM)");
});
afterEach(() => {
  for (const provider of started.splice(0)) provider.kill();
});

/** Starts a program in the place of the provider. */
async function start(
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ProviderProcess> {
  const provider = await startProvider({
    program: path("program.js"),
    env: { ...scratch.env, PROGRAM: text, ...env },
    workingFolder: scratch.folder,
  });
  started.push(provider);
  return provider;
}

/** It is ready, with a socket in a folder of its own, and ends when its parent does. */
const READY = `
const { mkdirSync } = require("node:fs");
mkdirSync("socket");
process.on("disconnect", () => process.exit());
const socket = process.cwd() + "/socket/s";
process.send({ type: "ready", reattach: { Protocol: "grpc", ProtocolVersion: 6, Pid: process.pid, Test: true, Addr: { Network: "unix", String: socket } } });
`;

test.each([
  [
    "an exception that nobody caught, by its name",
    'process.send({ type: "fault", fault: "TypeError" }, () => process.exit(1))',
    "TypeError",
  ],
  ["a signal", 'process.kill(process.pid, "SIGSEGV")', "SIGSEGV"],
  ["an exit code", "process.exit(9)", "exit code 9"],
  [
    "no memory left, in the words of Node.js",
    'process.stderr.write("<--- Last few GCs --->\\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\\n 1: 0xb canary", () => process.kill(process.pid, "SIGABRT"))',
    "SIGABRT: Reached heap limit Allocation failed - JavaScript heap out of memory",
  ],
])("an unexpected end is reported with its cause: %s", async (_what, ending, cause) => {
  const provider = await start(`${READY}\nsetTimeout(() => { ${ending} }, 50);`);
  expect(await provider.endedUnasked).toBe(cause);
  expect(await provider.saw("SIGINT")).toBeUndefined();
  expect(await provider.end()).toBeUndefined();
  expect(existsSync(path("socket"))).toBe(false);
});

test("its end is reported even if its end is requested before the end is known here", async () => {
  const provider = await start(READY);
  process.kill(pidOf({ pid: provider.reattach.Pid }), "SIGKILL");
  expect(await provider.end()).toBeUndefined();
  expect(await provider.endedUnasked).toBe("SIGKILL");
});

test("a requested end is not an error, and returns the usage", async () => {
  const provider = await start(
    `${READY}\nprocess.on("message", ({ type }) => type === "end" && process.send({ type: "ended", usage: { total: 1 } }, () => process.exit(0)));`,
  );
  expect(await provider.end()).toEqual({ total: 1 });
  expect(await Promise.race([provider.endedUnasked, "nothing"])).toBe("nothing");
  expect(existsSync(path("socket"))).toBe(false);
});

test.each([
  [
    "refuses to start",
    'process.send({ type: "refused", problem: "No folder for the socket." })',
    /No folder for the socket\./,
  ],
  ["throws at its start", 'throw new Error("canary")', /It ended while starting \(exit code 1\)\./],
])("one that %s is an error with this reason", async (_what, text, said) => {
  const error = await start(text).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "ERR_RUN_PROVIDER_FAILED",
    problem: expect.stringMatching(said),
  });
  expect(String(error)).not.toContain("canary");
});

test("it distinguishes signals that it has received from those that it has not", async () => {
  const provider = await start(
    `const seen = {};
    process.once("SIGUSR2", () => { seen.SIGUSR2 = 5; ${READY} });
    process.on("message", ({ type, id, signal }) => type === "saw?" && process.send({ type: "saw", id, at: seen[signal] ?? null }));
    process.kill(process.pid, "SIGUSR2");`,
  );
  expect(await Promise.all([provider.saw("SIGINT"), provider.saw("SIGUSR2")])).toEqual([null, 5]);
  provider.kill();
  expect(await provider.end()).toBeUndefined();
});

test("it does not load code from a user's NODE_ variables, but takes their certificates", async () => {
  const file = path("environment");
  const provider = await start(
    `require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env));${READY}`,
    {
      NODE_OPTIONS: "--require ./no-such-file.js",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      NODE_EXTRA_CA_CERTS: "/company.pem",
      SERVICE_USER_PASSWORD: "x",
    },
  );
  provider.kill();
  await provider.end();
  const env = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  expect(env).toMatchObject({
    IAM_TOKENS_EXTRA_CA_CERTS: "/company.pem",
    SERVICE_USER_PASSWORD: "x",
  });
  const theirs = /^NODE_(?!CHANNEL_(?:FD|SERIALIZATION_MODE)$)/;
  expect(Object.keys(env).filter((name) => theirs.test(name))).toEqual([]);
});

describe("the real one", () => {
  const ATTACHED = join(__dirname, "../../../dist/cli/attached.js");

  test("an uncaught exception ends it; the report has the exception's name without its message", async () => {
    const provider = await start(
      `const { send } = process;
      process.send = (message, ...more) => {
        if (message.type === "ready")
          setImmediate(() => { throw Object.assign(new RangeError("canary"), { code: "ERR_OF_A_TEST" }); });
        return send.call(process, message, ...more);
      };
      require(${JSON.stringify(ATTACHED)});`,
    );
    expect(await provider.endedUnasked).toBe("RangeError ERR_OF_A_TEST");
    await provider.end();
    expect(existsSync(provider.reattach.Addr.String)).toBe(false);
  });

  test("its log is a file of this user alone", async () => {
    const log = path("provider.log");
    const provider = await start(`require(${JSON.stringify(ATTACHED)});`, { TF_LOG_PATH: log });
    await provider.end();
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  test("a signal that arrives together with the question whether it has arrived counts", async () => {
    const missedOf = async (): Promise<number> => {
      const provider = await start(`require(${JSON.stringify(ATTACHED)});`);
      const pid = pidOf({ pid: provider.reattach.Pid });
      let missed = 0;
      for (let round = 0; round < 60; round++) {
        const before = monotonicNow();
        // As on a busy machine: it has to wait for its turn while both of them come.
        process.kill(pid, "SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, 1));
        process.kill(pid, "SIGHUP");
        const seen = provider.saw("SIGHUP");
        await new Promise((resolve) => setTimeout(resolve, 1));
        process.kill(pid, "SIGCONT");
        if (((await seen) ?? 0) < before) missed += 1;
      }
      await provider.end();
      return missed;
    };
    expect(await Promise.all(Array.from({ length: 5 }, missedOf))).toEqual([0, 0, 0, 0, 0]);
  });
});
