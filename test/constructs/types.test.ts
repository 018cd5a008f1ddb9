import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as lib from "../../lib";
import { packageRoot } from "../support/project";
import { temporaryFolder } from "../support/temporary-folder";

// What a program gets are the declarations in dist: members that are internal are not in them.

/** Nothing takes an instance of these. */
const TAKEN_BY_NOTHING = ["TokenOutputs"];

const classes = Object.entries(lib)
  .filter(([, member]) => String(member).startsWith("class"))
  .map(([name]) => name);

/** Values, each with the type that it must not fit. */
const REFUSED: readonly (readonly [type: string, value: string])[] = [
  ['ServiceUser["password"]', '"secret"'],
  ['ServiceUser["password"]', '{ source: { from: "env", name: "X" } }'],
  ['IdentityServiceProps["accountId"]', "123456"],
  ['StaticTokenRefProps["source"]', '"secret"'],
  ['ServiceUserTokenProps["scope"]', '"account"'],
  ['ServiceUserTokenProps["scope"]', "{ kind: lib.TokenKind.STATIC_TOKEN }"],
  ['ServiceUserTokenProps["schedule"]', '"6h"'],
  ['ServiceUserTokenProps["resolution"]', '"rotating"'],
  ['TokenOutputsProps["token"]', '"secret"'],
  // Something that has all public members of an instance.
  ...classes
    .filter((name) => !TAKEN_BY_NOTHING.includes(name))
    .map((name) => [name, `{} as { [K in keyof lib.${name}]: lib.${name}[K] }`] as const),
];
const FITS: typeof REFUSED = [
  ['ServiceUser["password"]', 'lib.SecretRef.env("X")'],
  ['ServiceUserTokenProps["scope"]', 'lib.TokenScope.project("web")'],
];

test("a value of another type does not compile against the published declarations", () => {
  const rows = [...REFUSED, ...FITS];
  const code = [
    `import * as lib from ${JSON.stringify(join(packageRoot, "dist/index.js"))};`,
    ...rows.map(([type, value], at) => `export const v${at}: lib.${type} = ${value};`),
  ];
  const folder = temporaryFolder();
  writeFileSync(join(folder, "values.ts"), code.join("\n"));
  const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
  const flags = "--strict --noEmit --skipLibCheck --target es2022 --module node16 --types node";
  const roots = ["--typeRoots", join(packageRoot, "node_modules/@types")];
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, ...flags.split(" "), ...roots, join(folder, "values.ts")],
    { encoding: "utf8", cwd: folder },
  );
  const lines = [...stdout.matchAll(/^[^(\n]*values\.ts\((\d+),\d+\): error/gm)];
  expect(lines.map(([, line]) => Number(line) - 2)).toEqual(REFUSED.map((_, at) => at));
  expect(classes).toEqual(expect.arrayContaining(["SecretRef", "TokenScope", ...TAKEN_BY_NOTHING]));
});
