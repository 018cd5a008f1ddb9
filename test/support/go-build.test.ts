import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProgram, cachedProgram, cacheFolder, hasGo } from "./go-build";
import { testIf } from "./skips";

const before = { ...process.env };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-cache-"));
  process.env.IAM_TOKENS_TEST_CACHE = folder;
});
afterEach(() => {
  process.env.IAM_TOKENS_TEST_CACHE = before.IAM_TOKENS_TEST_CACHE;
  if (before.IAM_TOKENS_TEST_CACHE === undefined) delete process.env.IAM_TOKENS_TEST_CACHE;
  rmSync(folder, { recursive: true, force: true });
});

const program = { module: "example.invalid/none", version: "v1.0.0", main: ".", file: "none" };
const path = () => join(cacheFolder(), `${process.platform}-${process.arch}`, "none@v1.0.0");
const put = (file: string, text: string) => {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
};

test("a program that was built before is not built again", async () => {
  expect(cachedProgram(program)).toBeNull();
  put(path(), "program");
  expect(cachedProgram(program)).toBe(path());
  expect(await buildProgram(program)).toBe(path());
});

test("while another process builds, this one waits for its result", async () => {
  put(`${path()}.lock`, String(process.pid));
  const waiting = buildProgram(program);
  writeFileSync(path(), "program");
  expect(await waiting).toBe(path());
});

test("a builder that takes too long is named", async () => {
  put(`${path()}.lock`, String(process.pid));
  await expect(buildProgram(program, 0)).rejects.toThrow(
    /none: another process has been building it/,
  );
});

testIf(hasGo(), "no Go")(
  "a lock whose owner has died is taken over, and a failed build leaves nothing behind",
  async () => {
    const dead = spawnSync(process.execPath, ["-e", "console.log(process.pid)"], {
      encoding: "utf8",
    }).stdout.trim();
    put(`${path()}.lock`, dead);
    await expect(buildProgram(program)).rejects.toThrow(/go mod download -json example.invalid/);
    expect(existsSync(path())).toBe(false);
    expect(readdirSync(join(path(), ".."))).toEqual([]);
  },
);
