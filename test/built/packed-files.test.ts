import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";

/** A checkout whose owner has tried an example. */
let scratch: Scratch;
let checkout: string;

const TRACKED = ["docs/page.md", "examples/story/main.ts", "SECURITY.md"];
const LEFT_BEHIND = [
  ...["docs/notes.txt", "examples/.env", "examples/story/terraform.tfstate"],
  "examples/story/cdktf.out/stacks/story/token.auto.tfvars.json",
];

beforeAll(() => {
  scratch = makeScratch();
  checkout = join(scratch.folder, "checkout");
  for (const name of ["lib", "dist", "LICENSE", "README.md", "package.json", "tsconfig.json"])
    cpSync(join(packageRoot, name), join(checkout, name), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules"), join(checkout, "node_modules"), "dir");
  const write = (path: string) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), "");
  };
  TRACKED.forEach(write);
  writeFileSync(join(checkout, ".gitignore"), "dist/\nnode_modules\n");
  run("git", ["init", "--quiet"]);
  run("git", ["add", "--all"]);
  LEFT_BEHIND.forEach(write);
});
afterAll(() => scratch.remove());

function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: checkout,
    env: { ...process.env, ...scratch.env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Without dist, and what npm takes of each package. */
const named = (paths: readonly string[]) =>
  paths.filter((path) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(path)).sort();

test("a package has dist, and of the checkout what Git tracks", () => {
  const folder = join(scratch.folder, "package");
  run(process.execPath, ["lib/build/terrain.mjs", folder]);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  expect(paths).toContain("dist/index.js");
  expect(named(paths)).toEqual([...TRACKED].sort());
});

test("npm pack in the checkout takes dist alone", () => {
  const args = ["pack", "--dry-run", "--ignore-scripts", "--json"];
  const [{ files }] = JSON.parse(run("npm", args));
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  expect(paths).toContain("dist/index.js");
  expect(named(paths)).toEqual([]);
});
