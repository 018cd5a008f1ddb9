import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../support/project";

interface Rule {
  readonly name: string;
  readonly comment?: string;
}

const { forbidden } = require(join(packageRoot, ".dependency-cruiser.cjs")) as {
  readonly forbidden: readonly Rule[];
};

interface Row {
  /** A folder or a file of lib. */
  readonly name: string;
  /** Of it, a file that imports what it may, and one that does not; the same for a file's row. */
  readonly good: string;
  readonly bad: string;
  readonly allowed: readonly string[];
}

/** The rows of the table in .dependency-cruiser.cjs. */
const ROWS = forbidden
  .filter(({ name }) => name.endsWith("-imports"))
  .map(({ name, comment = "" }): Row => {
    const row = name.replace(/-imports$/, "");
    const file = (of: string) => `lib/${row.endsWith(".ts") ? row : `${row}/${of}.ts`}`;
    const allowed = comment.replace("may import: ", "").split(", ").filter(Boolean);
    return { name: row, good: file("good"), bad: file("bad"), allowed };
  });

const ROOMS = ROWS.map(({ name }) => name).filter((name) => !/[/.]/.test(name));

/** An import of another room's file, as a file of lib writes it. */
const importing = (file: string, other: string) =>
  `import "${"../".repeat(file.split("/").length - 2) || "./"}${other.replace(/\.ts$/, "")}";`;

/**
 * For each rule an import that breaks it: for a row of the table that of another room, and for a
 * part of a room that of the room above it.
 */
const VIOLATIONS: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  ...Object.fromEntries(
    ROWS.map(({ name, bad, allowed }) => {
      const other = name.includes("/")
        ? dirname(name)
        : (ROOMS.find((room) => ![name, ...allowed].includes(room)) ?? "");
      return [`${name}-imports`, { file: bad, text: importing(bad, `${other}/room`) }];
    }),
  ),
  "commander-in-commands-only": {
    file: "lib/testing/c.ts",
    text: 'import { Command } from "commander"; new Command();',
  },
  "undici-in-transport-only": {
    file: "lib/identity/c.ts",
    text: 'import { Agent } from "undici"; new Agent();',
  },
  "requests-in-transport-only": {
    file: "lib/identity/b.ts",
    text: 'import { request } from "node:https"; request("");',
  },
  "cdktf-in-constructs-only": {
    file: "lib/provider/b.ts",
    text: 'import { App } from "cdktf"; new App();',
  },
  "no-network-in-constructs": {
    file: "lib/constructs/b.ts",
    text: 'import { connect } from "node:net"; connect(0);',
  },
  "no-io-in-tokens": {
    file: "lib/tokens/b.ts",
    text: 'import { readFileSync } from "node:fs"; readFileSync("x");',
  },
  "no-io-in-rotation": {
    file: "lib/rotation/b.ts",
    text: 'import { readFileSync } from "node:fs"; readFileSync("x");',
  },
  "examples-use-the-public-entries": {
    file: "examples/a.ts",
    text: 'import "../lib/tokens/room";',
  },
  "no-cycles": { file: "lib/plugin/b.ts", text: 'import "./c";' },
  "no-circles-of-folders": { file: "lib/plugin/one/a.ts", text: 'import "../two/b";' },
};

/**
 * Imports that the rules allow: a rule that refuses everything would not be noticed without them.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ROWS.flatMap(({ allowed }) =>
      allowed.map((each) => [
        each.endsWith(".ts") ? `lib/${each}` : `lib/${each}/room.ts`,
        "export {};",
      ]),
    ),
  ),
  ...Object.fromEntries(
    ROWS.map(({ good, allowed }) => [
      good,
      allowed
        .map((each) => importing(good, each.endsWith(".ts") ? each : `${each}/room`))
        .join(" "),
    ]),
  ),
  "lib/identity/transport/good.ts": 'import "undici/lib/x.js"; import "node:net";',
  "lib/constructs/cdktf.ts": 'import "cdktf"; import "node:fs";',
  "lib/resolution/cdktf.ts": 'import "cdktf";',
  "lib/testing/network.ts": 'import "node:http";',
  "lib/testing/index.ts": "export {};",
  "lib/cli/commander.ts": 'import "commander";',
  "lib/tokens/core.ts": 'import "node:crypto"; import "node:util";',
  "examples/good.ts": 'import "../lib/index"; import "../lib/testing/index"; import "cdktf";',
};

let tree: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "iam-layers-"));
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(packageRoot, file), join(tree, file));
  symlinkSync(join(packageRoot, "node_modules"), join(tree, "node_modules"), "dir");
  for (const room of ROOMS) write(`lib/${room}/room.ts`, "export {};");
  for (const [file, text] of Object.entries(ALLOWED)) write(file, text);
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), `${text}\n`);
}

/** The findings of the layer check in the tree, as "rule: file". */
function cruise(): { exitCode: number | null; found: string[] } {
  const cli = join(packageRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [
    cli,
    "lib",
    "examples",
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "err",
  ];
  const text = spawnSync(process.execPath, args, {
    cwd: tree,
    encoding: "utf8",
    env: { PATH: process.env.PATH, FORCE_COLOR: "0" },
  });
  const found = [...text.stdout.matchAll(/^\s*error ([\w/.-]+): (\S+)/gm)].map(
    ([, rule, file]) => `${rule}: ${file}`,
  );
  return { exitCode: text.status, found: found.sort() };
}

test("imports that follow the rules pass", () => {
  expect(cruise()).toEqual({ exitCode: 0, found: [] });
});

test("each rule has a violation here", () => {
  expect(Object.keys(VIOLATIONS).sort()).toEqual(forbidden.map(({ name }) => name).sort());
});

test("each rule is broken by its violation, and fails the check", () => {
  for (const { file, text } of Object.values(VIOLATIONS)) write(file, text);
  write("lib/plugin/c.ts", 'import "./b";');
  write("lib/plugin/two/a.ts", 'import "../one/b";');
  for (const folder of ["one", "two"]) write(`lib/plugin/${folder}/b.ts`, "export {};");
  const { exitCode, found } = cruise();
  expect(exitCode).toBeGreaterThan(0);
  const expected = Object.entries(VIOLATIONS).map(
    ([rule, { file }]) => `${rule}: ${rule.endsWith("-folders") ? dirname(file) : file}`,
  );
  expect(found).toEqual(expect.arrayContaining(expected));
  // Nothing else: the allowed imports are still allowed. A cycle is reported at each of its files,
  // and imports that break another rule make circles of rooms as well.
  const also = /^no-cycles: lib\/plugin\/c\.ts|^no-circles-of-folders: /;
  expect(found.filter((line) => !expected.includes(line) && !also.test(line))).toEqual([]);
});
