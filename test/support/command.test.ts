import { startCommand } from "./command";
import { stillRunning } from "./processes";
import { makeScratch, type Scratch } from "./scratch";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(async () => {
  expect(await stillRunning(scratch.marker)).toEqual([]);
  scratch.remove();
});

const node = (program: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  startCommand(process.execPath, ["-e", program], {
    cwd: scratch.folder,
    env: scratch.env,
    ...options,
  });
const FOREVER = "setInterval(() => {}, 1000); console.log('ready');";
const WITH_CHILD = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(FOREVER)}], { stdio: "inherit" });
  process.on("SIGINT", () => setTimeout(() => process.exit(7), 10));`;

test("a command's exit code, its two outputs and its time are told", async () => {
  const result = await node(
    "console.log('out'); console.error('\\x1b[31merr\\x1b[0m'); process.exitCode = 3",
  ).finished;
  expect(result).toMatchObject({
    exitCode: 3,
    endedBy: null,
    stdout: "out\n",
    stderr: "\x1b[31merr\x1b[0m\n",
  });
  expect(result.text).toContain("err\n");
  expect(result.text).not.toContain("\x1b");
  expect(result.durationMs).toBeGreaterThan(0);
});

test("a command gets the given environment and nothing of this process's", async () => {
  const { stdout } = await node("console.log(JSON.stringify(process.env))").finished;
  expect(JSON.parse(stdout)).toEqual({ ...scratch.env });
});

test("a Ctrl-C reaches the command and its child", async () => {
  const running = node(WITH_CHILD);
  await running.printed(/ready/);
  running.signalGroup();
  expect(await running.finished).toMatchObject({ exitCode: 7 });
});

test("a command that does not end in time is killed with its children, and what it printed is told", async () => {
  const running = node(WITH_CHILD, { timeoutMs: 600 });
  await expect(running.finished).rejects.toThrow(/has not ended within 600 ms:\nready/);
});

test("an abort kills the command", async () => {
  const controller = new AbortController();
  const running = node(FOREVER, { signal: controller.signal });
  await running.printed(/ready/);
  controller.abort();
  expect(await running.finished).toMatchObject({ exitCode: null, endedBy: "SIGKILL" });
});

test("waiting for a line that never comes ends with the command", async () => {
  await expect(node("console.log('other')").printed(/ready/)).rejects.toThrow(
    /was not printed:\nother/,
  );
});

test("a program that is not there is an error", async () => {
  const running = startCommand("no-such-program", [], { cwd: scratch.folder, env: scratch.env });
  await expect(running.finished).rejects.toMatchObject({ code: "ENOENT" });
});
