import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../support/project";

/** For each rule of .dependency-cruiser.cjs an import that breaks it. */
const VIOLATIONS: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  "tokens-imports": { file: "lib/tokens/a.ts", text: 'import "../identity/room";' },
  "identity-imports": { file: "lib/identity/a.ts", text: 'import "../plugin/room";' },
  "plugin-imports": { file: "lib/plugin/a.ts", text: 'import "../tokens/room";' },
  "provider-imports": { file: "lib/provider/a.ts", text: 'import "../constructs/room";' },
  "constructs-imports": { file: "lib/constructs/a.ts", text: 'import "../provider/room";' },
  "delivery-imports": { file: "lib/delivery/a.ts", text: 'import "../constructs/room";' },
  "resolution-imports": { file: "lib/resolution/a.ts", text: 'import "../testing/index";' },
  "resolution-asks-by-the-provider": {
    file: "lib/resolution/b.ts",
    text: 'import "../provider/room";',
  },
  "issue-tokens-knows-no-constructs": {
    file: "lib/resolution/issue-tokens.ts",
    text: 'import "../constructs/room";',
  },
  "testing-imports": { file: "lib/testing/a.ts", text: 'import "../identity/room";' },
  "cli-imports": { file: "lib/cli/a.ts", text: 'import "../constructs/room";' },
  "croner-in-one-module": {
    file: "lib/tokens/c.ts",
    text: 'import { Cron } from "croner"; new Cron("* * * * *");',
  },
  "commander-in-cli-only": {
    file: "lib/testing/c.ts",
    text: 'import { Command } from "commander"; new Command();',
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
  "examples-use-the-public-entries": {
    file: "examples/a.ts",
    text: 'import "../lib/tokens/room";',
  },
  "no-cycles": { file: "lib/plugin/b.ts", text: 'import "./c";' },
};

const ROOMS = [
  "tokens",
  "identity",
  "plugin",
  "provider",
  "constructs",
  "delivery",
  "resolution",
  "testing",
  "cli",
];

/**
 * Imports that the rules allow: a rule that refuses everything would not be noticed without them.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  "lib/index.ts": 'import "./constructs/good"; import "./resolution/good"; import "cdktf";',
  "lib/identity/good.ts": 'import "../tokens/room";',
  "lib/identity/transport/good.ts": 'import "node:http"; import "node:net";',
  "lib/provider/names.ts": "export {};",
  "lib/provider/good.ts":
    'import "../tokens/room"; import "../identity/room"; import "../plugin/room";',
  "lib/constructs/good.ts":
    'import "../tokens/room"; import "../provider/names"; import "cdktf"; import "node:fs";',
  "lib/delivery/good.ts": 'import "../tokens/room"; import "../provider/names";',
  "lib/resolution/good.ts": 'import "../tokens/room"; import "../constructs/room"; import "cdktf";',
  "lib/identity/schemas/room.ts": "export {};",
  "lib/plugin/tls/x509.ts": "export {};",
  "lib/testing/good.ts":
    'import "../tokens/room"; import "../identity/schemas/room"; import "../plugin/tls/x509"; import "node:http";',
  "lib/testing/index.ts": "export {};",
  "lib/cli/good.ts":
    'import "../tokens/room"; import "../provider/room"; import "../plugin/room"; import "../delivery/room"; import "commander";',
  "lib/tokens/rotation/cron.ts": 'import "croner";',
  "lib/tokens/good.ts": 'import "node:crypto"; import "node:util";',
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

/** What the layer check finds in the tree, as "rule: file". */
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
  const found = [...text.stdout.matchAll(/^\s*error ([\w-]+): (\S+)/gm)].map(
    ([, rule, file]) => `${rule}: ${file}`,
  );
  return { exitCode: text.status, found: found.sort() };
}

test("imports that follow the rules pass", () => {
  expect(cruise()).toEqual({ exitCode: 0, found: [] });
});

test("each rule has a violation here", () => {
  const rules = require(join(packageRoot, ".dependency-cruiser.cjs")).forbidden.map(
    ({ name }: { name: string }) => name,
  );
  expect(Object.keys(VIOLATIONS).sort()).toEqual([...rules].sort());
});

test("each rule is broken by its violation, and fails the check", () => {
  for (const { file, text } of Object.values(VIOLATIONS)) write(file, text);
  write("lib/plugin/c.ts", 'import "./b";');
  const { exitCode, found } = cruise();
  expect(exitCode).toBeGreaterThan(0);
  const expected = Object.entries(VIOLATIONS).map(([rule, { file }]) => `${rule}: ${file}`);
  expect(found).toEqual(expect.arrayContaining(expected));
  // Nothing else: the allowed imports are still allowed. A cycle is reported at each of its files.
  expect(
    found.filter(
      (line) => !expected.includes(line) && !line.startsWith("no-cycles: lib/plugin/c.ts"),
    ),
  ).toEqual([]);
});
