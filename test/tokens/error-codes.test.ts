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

test.each([...CODES, ...Object.keys(WARNINGS)])("%s is what a test expects", (code) => {
  expect(tested).toContain(code);
});

test.each(CODES)("%s has a meaning and a remedy, each of whole sentences", (code) => {
  for (const text of ERROR_CODES[code].map(String)) {
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text.length).toBeGreaterThan(8);
  }
});
