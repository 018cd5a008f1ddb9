import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

const textOf = (path: string) => readFileSync(join(packageRoot, path), "utf8");
const files = readdirSync(join(packageRoot, "test/scenarios"))
  // pages.test.ts compares the pages with the commands.
  .filter((name) => name.endsWith(".test.ts") && name !== "pages.test.ts")
  .map((name) => [name, textOf(`test/scenarios/${name}`)] as const);

/** What cheaper tests prove. */
const CHEAPER: readonly RegExp[] = [
  // A function of a room; world.ts and product.ts make the stage.
  /from "\.\.\/\.\.\/lib\/(?!testing").*/,
  /statSync|\.mode\b/,
  /--help\b/,
  /--json\b/,
];

test("a scenario uses the public entries alone, and asserts no mode, help or JSON of a command", () => {
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap(([name, text]) =>
    CHEAPER.flatMap((pattern) => text.match(pattern) ?? []).map((what) => `${name}: ${what}`),
  );
  expect(found).toEqual([]);
});

test("a scenario names the sentence of a page that it proves", () => {
  const unnamed = files.flatMap(([name, text]) =>
    [...text.matchAll(/(.*)\nscenarios\(/g)].flatMap(([, line = ""]) => {
      const [, page, sentence = ""] = /^\/\/ (\S+\.md): (.*)$/.exec(line) ?? [];
      return page !== undefined && textOf(page).includes(sentence) ? [] : `${name}: ${line}`;
    }),
  );
  expect(unnamed).toEqual([]);
});
