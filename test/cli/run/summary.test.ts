import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { summaryFile, toJsonSummary, toTextSummary } from "../../../lib/cli/run/summary";
import { makeScratch } from "../../support/scratch";

const NONE = { tokens: 0, uses: 0, briefUses: 0, requests: 0, retries: 0, waitedMs: 0 };
const SOME = { tokens: 2, uses: 9, briefUses: 1, requests: 8, retries: 3, waitedMs: 4_938.5 };
const scratch = makeScratch();
const path = join(scratch.folder, "summary");
afterAll(scratch.remove);
afterEach(() => spawnSync("rm", ["-rf", path]));

test("the line for people", () => {
  expect(toTextSummary(SOME)).toBe(
    "iam-tokens: uses: 9 (with less than 1 h left: 1), requests: 8, retries: 3, waited 4939 ms\n",
  );
  expect(toTextSummary({ ...SOME, briefUses: 0 })).toMatch(/: uses: 9, requests/);
  expect(toTextSummary(NONE)).toBe("");
});

test("the form for machines has whole milliseconds", () => {
  expect(JSON.parse(toJsonSummary(SOME))).toEqual({
    total: {
      ...{ tokens: 2, uses: 9, uses_below_one_hour: 1 },
      ...{ requests: 8, retries: 3, waited_ms: 4_939 },
    },
  });
});

test.each<[string, string | undefined]>([
  ["a new file", undefined],
  ["an empty one, as mktemp makes it", ""],
  ["a summary", toJsonSummary(SOME)],
])("it is written into %s, at the end, for its owner only", (_, before) => {
  if (before !== undefined) writeFileSync(path, before);
  const file = summaryFile(path);
  file.assertWritable();
  expect(statSync(path, { throwIfNoEntry: false })?.size).toBe(before?.length);
  file.write(toJsonSummary(NONE));
  expect(readFileSync(path, "utf8")).toBe(toJsonSummary(NONE));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(scratch.folder).filter((name) => name.startsWith("summary"))).toEqual([
    "summary",
  ]);
  file.write(undefined);
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
});

test.each<[string, () => void]>([
  ["a script", () => writeFileSync(path, "#!/bin/sh\n")],
  ["other JSON", () => writeFileSync(path, '{"total": {"uses": 3}}')],
  ["a folder", () => mkdirSync(path)],
  ["a FIFO, for which nobody waits", () => spawnSync("mkfifo", [path])],
  ["a link, also to nothing", () => symlinkSync("/no/such", path)],
])("nothing else is replaced: %s", (_, make) => {
  make();
  const stats = lstatSync(path);
  for (const [code, act] of [
    ["ERR_USAGE", () => summaryFile(path).assertWritable()],
    ["ERR_OUTPUT_FILE", () => summaryFile(path).write("{}")],
    ["ERR_OUTPUT_FILE", () => summaryFile(path).write(undefined)],
  ] as const)
    expect(act).toThrow(
      expect.objectContaining({ code, problem: expect.stringMatching(/is there and is no summ/) }),
    );
  const { ino, size, mtimeMs } = lstatSync(path);
  expect([ino, size, mtimeMs]).toEqual([stats.ino, stats.size, stats.mtimeMs]);
});

test("a folder that is missing is an error before the command", () => {
  expect(() => summaryFile(join(path, "x")).assertWritable()).toThrow(
    /cannot be written \(ENOENT\)/,
  );
});
