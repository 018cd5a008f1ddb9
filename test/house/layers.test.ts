import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

const { forbidden } = require(join(packageRoot, ".dependency-cruiser.cjs")) as {
  readonly forbidden: readonly { readonly name: string }[];
};

/** Rooms and single files of lib that have a rule of what they may import. */
const ruled = forbidden
  .filter(({ name }) => name.endsWith("-imports"))
  .map(({ name }) => name.replace(/-imports$/, ""));

const rooms = readdirSync(join(packageRoot, "lib"), { withFileTypes: true })
  .filter((entry) => (entry.isDirectory() ? entry.name !== "build" : entry.name.endsWith(".ts")))
  .map(({ name }) => name);

test("each room of lib has a rule, and a line in the map of ARCHITECTURE.md", () => {
  const map = readFileSync(join(packageRoot, "ARCHITECTURE.md"), "utf8");
  const drawn = [...map.matchAll(/^\| `lib\/([\w.-]+)/gm)].map(([, name = ""]) => name);
  expect(rooms.length).toBeGreaterThan(8);
  expect(rooms.filter((room) => !ruled.includes(room))).toEqual([]);
  expect(rooms.filter((room) => !drawn.includes(room))).toEqual([]);
});

/** For each rule that is not a room's, files that violate it, with what each imports. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "commander-in-commands-only": { "lib/provider/a.ts": "commander" },
  "undici-in-transport-only": { "lib/identity/b.ts": "undici" },
  "requests-in-transport-only": { "lib/identity/c.ts": "node:https" },
  "cdktf-in-constructs-only": { "lib/provider/d.ts": "cdktf" },
  "no-network-in-constructs": { "lib/constructs/e.ts": "net" },
  "no-io-in-tokens": { "lib/tokens/f.ts": "node:fs" },
  "no-io-in-rotation": { "lib/rotation/g.ts": "node:fs" },
  "examples-use-the-public-entries": { "examples/h.ts": "../lib/stranger" },
  "no-cycles": { "lib/hcl/i.ts": "./j", "lib/hcl/j.ts": "./i" },
  "no-circles-of-folders": {
    "lib/hcl/k/k.ts": "../l/l",
    "lib/hcl/l/l.ts": "./m",
    "lib/hcl/l/m.ts": "../k/n",
    "lib/hcl/k/n.ts": "node:util",
  },
};

const scratch = useScratch();

test("each rule is seen to fire", () => {
  const { folder } = scratch;
  const write = (path: string, imported: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `export * from ${JSON.stringify(imported)};\n`);
  };
  for (const name of [".dependency-cruiser.cjs", "package.json", "tsconfig.json"])
    cpSync(join(packageRoot, name), join(folder, name));
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"), "dir");
  write("lib/stranger.ts", "node:util");
  for (const room of ruled) {
    const file = room.endsWith(".ts") ? room : `${room}/z.ts`;
    write(`lib/${file}`, `${"../".repeat(file.split("/").length - 1) || "./"}stranger`);
  }
  for (const [path, imported] of Object.values(VIOLATIONS).flatMap(Object.entries))
    write(path, imported);
  const cruised = spawnSync(
    process.execPath,
    [
      join(packageRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs"),
      ...["lib", "examples", "--config", ".dependency-cruiser.cjs", "--output-type", "json"],
    ],
    { cwd: folder, encoding: "utf8" },
  );
  const { summary } = JSON.parse(cruised.stdout) as {
    readonly summary: { readonly violations: readonly { rule: { name: string } }[] };
  };
  const fired = new Set(summary.violations.map(({ rule }) => rule.name));
  expect([...fired].sort()).toEqual(forbidden.map(({ name }) => name).sort());
});
