import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { AskedProgram, type Question } from "../../../lib/constructs/props/asked-program";
import { packageRoot } from "../../support/project";
import { temporaryFolder } from "../support";

const LIMIT_MS = 20_000;
const hasLine = (text: string): boolean => text.includes("\n");
const never = (): boolean => false;

function asking(script: string, question: Partial<Question> = {}): AskedProgram {
  return new AskedProgram({
    file: "/bin/sh",
    args: ["-c", script],
    env: {},
    limitMs: LIMIT_MS,
    ...question,
  });
}

test("what a program says is read without awaiting", () => {
  expect(asking("echo answer").answer(hasLine)).toBe("answer\n");
});

test("what it says while its caller awaits something is not lost", async () => {
  const folder = temporaryFolder();
  const go = join(folder, "go");
  const early = asking(`echo early; until [ -e '${go}' ]; do /bin/sleep 0.01; done; echo late`);
  const { child } = early as unknown as {
    readonly child: { readonly stdout: NodeJS.EventEmitter };
  };
  await new Promise((resolve) => child.stdout.once("data", resolve));
  writeFileSync(go, "");
  expect(early.answer(never)).toBe("early\nlate\n");
  const ended = asking("echo answer");
  await new Promise((resolve) =>
    (ended as unknown as { readonly child: NodeJS.EventEmitter }).child.once("close", resolve),
  );
  expect(ended.answer(never)).toBe("answer\n");
});

test("all of it is read where it is never enough, and reading again gives the same", () => {
  const program = asking("echo one; echo two");
  expect(program.answer(never)).toBe("one\ntwo\n");
  expect(program.answer(never)).toBe("one\ntwo\n");
});

test("enough is enough: what comes later is not waited for", () => {
  const program = asking("echo answer; exec sleep 60");
  expect(program.answer(hasLine)).toBe("answer\n");
  const { child } = program as unknown as { readonly child: { kill(signal: string): boolean } };
  child.kill("SIGKILL");
});

test.each([
  ["no such program", { file: "/no/such/program" }],
  ["a name that no program can have", { file: "a\0b" }],
])("%s gives no answer, and throws nothing", (_what, question) => {
  expect(asking("", question).answer(hasLine)).toBeUndefined();
});

test("a program that hangs is ended at the limit", async () => {
  const program = asking("exec sleep 60", { limitMs: 50 });
  const { child } = program as unknown as { readonly child: NodeJS.EventEmitter };
  const ended = new Promise((resolve) => child.once("close", (...how) => resolve(how)));
  expect(program.answer(hasLine)).toBeUndefined();
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("a program that says too much is not read to its end", () => {
  expect(asking("exec yes").answer(never)).toBeUndefined();
});

test("a process that does not ask for the answer ends at once, and takes the program along", async () => {
  const folder = temporaryFolder();
  const [bundled, pid] = [join(folder, "asked-program.cjs"), join(folder, "pid")];
  buildSync({
    entryPoints: [join(packageRoot, "lib/constructs/props/asked-program.ts")],
    outfile: bundled,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
  });
  const text = `
    const { AskedProgram } = require(${JSON.stringify(bundled)});
    const program = new AskedProgram({ file: "/bin/sleep", args: ["60"], env: {}, limitMs: 60_000 });
    require("node:fs").writeFileSync(${JSON.stringify(pid)}, String(program.child.pid));
  `;
  const { status, signal } = spawnSync(process.execPath, ["-e", text], { timeout: LIMIT_MS });
  expect([status, signal]).toEqual([0, null]);
  const asked = Number(readFileSync(pid, "utf8"));
  // Ended, and taken note of by whoever took it over.
  while (isRunning(asked)) await new Promise((resolve) => setTimeout(resolve, 5));
});

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
