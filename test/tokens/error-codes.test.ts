import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WARNINGS } from "../../lib/constructs/warnings";
import { ERROR_CODES, type ErrorCode } from "../../lib/tokens";
import { packageRoot } from "../support/project";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** The codes in the tests that `npm test` runs, and in their snapshots, but not in this file. */
const tested = new Set(
  readdirSync(join(packageRoot, "test"), { recursive: true, encoding: "utf8" })
    .filter(
      (file) => /\.(?:ts|snap)$/.test(file) && !/^(programs|platforms)\b|error-codes/.test(file),
    )
    .map((file) => readFileSync(join(packageRoot, "test", file), "utf8"))
    .flatMap((text) => text.match(/\b(?:ERR|WARN)_[A-Z0-9_]+\b/g) ?? []),
);

test("each code is what a test expects", () => {
  expect([...CODES, ...Object.keys(WARNINGS)].filter((code) => !tested.has(code))).toEqual([]);
});

test("each code has a meaning and a remedy, of whole sentences", () => {
  const texts = CODES.flatMap((code) => ERROR_CODES[code].map(String));
  expect(texts.filter((text) => !/^[A-Z].{7,}\.$/.test(text))).toEqual([]);
});
