import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

const FOUND: readonly [expression: string, problem: RegExp | undefined][] = [
  ["/^a+$/", undefined],
  [String.raw`/\/+$/`, /quadratic/],
  ["/(a+)+$/", /exponential/],
  [String.raw`new RegExp("\\/+$")`, /quadratic/],
  ['RegExp("/" + "+$")', /quadratic/],
  ["(text: string) => new RegExp(text)", /1 uses of RegExp are not run/],
];

const scratch = useScratch();

test("the lint of regular expressions finds each that is worse than linear", () => {
  const files = FOUND.map(([expression], index) => {
    const file = join(scratch.folder, `expression-${index}.ts`);
    writeFileSync(file, `export const a = ${expression};\n`);
    return file;
  });
  const lint = join(packageRoot, "test/house/regular-expressions.mjs");
  const { stderr, status } = spawnSync(process.execPath, [lint, ...files], { encoding: "utf8" });
  expect(status).toBe(1);
  const lines = stderr.split("\n");
  for (const [index, [, problem]] of FOUND.entries()) {
    const said = lines.filter((line) => line.includes(`expression-${index}.ts`)).join("\n");
    if (problem === undefined) expect(said).toBe("");
    else expect(said).toMatch(problem);
  }
});
