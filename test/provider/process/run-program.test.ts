import childProcess from "node:child_process";
import { getEventListeners } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { findProgram } from "../../../lib/provider/process/find-program";
import { type ProgramOutcome, runProgram } from "../../../lib/provider/process/run-program";
import { onPlatform } from "../../support/platform";
import { stillRunning } from "../../support/processes";
import { useScratch } from "../../support/scratch";

const scratch = useScratch();

type Options = Parameters<typeof runProgram>[1];
const run = (
  command: Parameters<typeof runProgram>[0],
  more: Partial<Options> = {},
): Promise<ProgramOutcome> =>
  runProgram(command, {
    ...{ cwd: scratch.folder, env: scratch.env, limitMs: 50_000, limitBytes: 5, stderr: "pipe" },
    ...more,
  });
const inShell = (script: string, more: Partial<Options> = {}) => run(["sh", "-c", script], more);
/** With what it printed, as text. */
const brief = async (outcome: Promise<ProgramOutcome>) => {
  const { end, by, stdout, stderr } = await outcome;
  return [end, by, `${stdout}`, `${stderr}`];
};

const script = (path: string, prints = path) =>
  writeFileSync(join(scratch.folder, path), `#!/bin/sh\necho ${prints}\n`, { mode: 0o700 });

test("a program has its output and exit code, no input and no shell", async () => {
  const reads = "read line || echo out; echo error >&2; exit 3";
  expect(await brief(inShell(reads))).toEqual(["exited", "3", "out\n", "error"]);
  expect(await brief(inShell("echo err >&2", { stderr: "ignore" }))).toEqual([
    ...["exited", "0", "", ""],
  ]);
  expect(await brief(inShell("kill -9 $$"))).toEqual(["killed", "SIGKILL", "", ""]);
  expect(await brief(run(["printf", "$x ;"]))).toEqual(["exited", "0", "$x ;", ""]);
  expect(await run(["no-such-program"])).toMatchObject({ end: "not found" });
  const failure = { end: "not started", by: "EACCES" };
  expect(await run([scratch.folder])).toMatchObject(failure);
  const long = { end: "not started", by: "E2BIG" };
  expect(await run(["true", "x".repeat(1_000_000)])).toMatchObject(long);
});

test("a signal at a program's start does not leave it: this process listens before, and not after", async () => {
  jest.spyOn(childProcess, "spawn").mockImplementationOnce(() => {
    throw Object.assign(new Error(), { code: `HAS_${process.listenerCount("SIGINT")}` });
  });
  expect((await run(["true"])).by).toBe("HAS_1");
  expect(process.listenerCount("SIGINT")).toBe(0);
});

/** In a shell that starts another program; both ignore a polite end. */
const HANGS = "trap '' TERM; sleep 600 & touch started; sleep 600";
const isStarted = async () => {
  while (!existsSync(join(scratch.folder, "started")))
    await new Promise((resolve) => setTimeout(resolve, 10));
};

describe("one that does not end is killed with its children", () => {
  afterEach(async () => expect(await stillRunning(scratch.marker)).toEqual([]));

  test("after its time, even if it has ended by itself", async () => {
    expect(await inShell(HANGS, { limitMs: 200 })).toMatchObject({ end: "late" });
    const held = await inShell("sleep 600 & echo x", { limitMs: 500 });
    expect(held).toMatchObject({ end: "held", stdout: Buffer.from("x\n") });
  });

  test("when it prints a byte more than it may; of standard error, the rest is dropped", async () => {
    expect(await inShell("printf 12345; printf 123456 >&2")).toMatchObject({ end: "exited" });
    expect(await inShell("printf 123456; sleep 600")).toMatchObject({ end: "verbose" });
  });

  test("when nobody waits for it any more, also before its start", async () => {
    const stop = new AbortController();
    const stopped = inShell(HANGS, { signal: stop.signal });
    await isStarted();
    stop.abort();
    expect(await stopped).toMatchObject({ end: "aborted" });
    expect(await inShell(HANGS, { signal: stop.signal })).toMatchObject({ end: "aborted" });
  });

  test("nobody waits for one that cannot be killed, as what sudo runs", async () => {
    const { kill } = process;
    const pids: number[] = [];
    const refused = jest.spyOn(process, "kill").mockImplementation((pid) => {
      pids.push(pid);
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    // It would hold this test as long as it runs.
    expect(await run(["sleep", "600"], { limitMs: 50 })).toMatchObject({ end: "late" });
    refused.mockRestore();
    for (const pid of pids) kill.call(process, pid, "SIGKILL");
    expect(pids).toHaveLength(1);
  });

  test("what it has started in a group of its own keeps no pipe of this process open", async () => {
    const spawn = jest.spyOn(childProcess, "spawn");
    const leaves = "setsid sh -c 'echo $$ >left; touch started; exec sleep 600' &";
    const held = inShell(leaves, { limitMs: 500 });
    await isStarted();
    const { end } = await held;
    process.kill(Number(readFileSync(join(scratch.folder, "left"), "utf8")));
    const child: childProcess.ChildProcess | undefined = spawn.mock.results[0]?.value;
    const closed = [child?.stdout, child?.stderr].map((pipe) => pipe?.destroyed);
    expect([end, ...closed]).toEqual(["held", true, true]);
  });

  test.each<[string, () => unknown, ends: boolean]>([
    ["got SIGHUP", () => process.emit("SIGHUP", "SIGHUP"), true],
    ["got SIGTERM", () => process.emit("SIGTERM", "SIGTERM"), false],
    ["ended", () => process.listeners("exit")[0]?.(0), false],
  ])("when this process %s, which ends by it unless it handles it", async (by, happen, ends) => {
    const { kill } = process;
    const exit = jest.spyOn(process, "exit").mockImplementation((() => {}) as never);
    const killed = jest
      .spyOn(process, "kill")
      .mockImplementation((pid, signal) => pid === process.pid || kill.call(process, pid, signal));
    // As the provider has: that signal does not end this process.
    const stays = () => {};
    process.on("SIGTERM", stays);
    const running = inShell(HANGS);
    await isStarted();
    happen();
    expect(await running).toMatchObject({ end: "interrupted", by });
    expect(exit).toHaveBeenCalledTimes(ends ? 1 : 0);
    if (ends) {
      // After all else that happens at the end.
      const last = process.listeners("exit").at(-1) ?? stays;
      process.off("exit", last);
      last(0);
      expect(killed).toHaveBeenLastCalledWith(process.pid, "SIGHUP");
    }
    process.off("SIGTERM", stays);
  });

  test("on Windows by the system's own tool, or alone where that is missing", async () => {
    const spawn = jest.spyOn(childProcess, "spawn");
    const command = ["/bin/sleep", "600"] as const;
    const outcome = await onPlatform("win32", () => run(command, { limitMs: 200 }));
    expect(outcome).toMatchObject({ end: "late" });
    const [{ pid }] = spawn.mock.results.map(({ value }) => value);
    expect(spawn.mock.calls).toEqual([
      ["/bin/sleep", ["600"], expect.objectContaining({ detached: false })],
      [
        "C:\\Windows\\System32\\taskkill.exe",
        ["/pid", String(pid), "/T", "/F"],
        { stdio: "ignore", windowsHide: true },
      ],
    ]);
  });
});

test("many at once share their listeners, and leave none", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const counts = () =>
    ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
  const before = counts();
  const signals = Array.from({ length: 12 }, () => new AbortController().signal);
  const all = signals.map((signal, count) => inShell(`echo ${count}`, { signal }));
  expect(counts()).toEqual(before.map((count) => count + 1));
  expect((await Promise.all(all)).map(({ stdout }) => String(stdout))).toContain("11\n");
  expect(counts()).toEqual(before);
  expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a program is searched in the absolute folders of PATH alone, never in the working folder", async () => {
  mkdirSync(join(scratch.folder, "bin", "tool"), { recursive: true });
  script("op", "planted");
  script("bin/op", "meant");
  const near = relative(process.cwd(), scratch.folder);
  const printed = async (name: string, PATH: string | undefined) => {
    const { end, stdout } = await run([name], { env: { PATH }, limitBytes: 99 });
    return end === "exited" ? `${stdout}`.trim() : end;
  };
  for (const PATH of [near, `:${near}/bin`, ":", ".:", "", undefined])
    expect(await printed("op", PATH)).toBe("not found");
  const PATH = `:.:${join(scratch.folder, "none")}:${join(scratch.folder, "bin")}`;
  expect(await printed("op", PATH)).toBe("meant");
  // A folder is no program, and a path is the user's own word.
  expect(await printed("tool", PATH)).toBe("not found");
  expect(await printed("./op", PATH)).toBe("planted");
  // On Windows the name of the variable has any case.
  script("bin/op.exe", "found");
  const env = { Path: `.;${scratch.folder}/bin` };
  const found = await onPlatform("win32", () => run(["op"], { env, limitBytes: 99 }));
  expect(`${found.stdout}`).toBe("found\n");
});

test.each([
  ["op", "HERE/op.exe"],
  ["both", "HERE/both.com"],
  ["op.exe", "HERE/op.exe"],
  ["plain", ""],
  ["dir\\op", "dir\\op"],
])("on Windows, %j is %j: only in the absolute folders of PATH", (name, found) => {
  for (const file of ["op.exe", "both.com", "both.exe", "plain"]) script(file);
  const { folder } = scratch;
  const find = (path: string) =>
    onPlatform("win32", () => findProgram(name, path))?.replace(folder, "HERE");
  expect(find(`.;;C:;"${folder}"`) ?? "").toBe(found);
  expect(find(`.;;C:;${relative(process.cwd(), folder)}`)).toBe(
    name.includes("\\") ? found : undefined,
  );
});
