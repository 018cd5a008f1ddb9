import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

/** A copy of the sources: no test builds where others read. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "iam-build-"));
  for (const name of ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"])
    cpSync(join(packageRoot, name), join(copy, name), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules"), join(copy, "node_modules"), "dir");
  expect(build().stdout).toContain("dist is built");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function build() {
  return spawnSync(process.execPath, [join(copy, "lib/build.mjs")], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
}

const inDist = (path: string) => join(copy, "dist", path);

test("a second build changes no file; one after an edit of dist builds again", () => {
  const before = statSync(inDist("index.js"));
  expect(build()).toMatchObject({ status: 0, stdout: "dist is up to date.\n" });
  expect(statSync(inDist("index.js"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  rmSync(inDist("testing/index.js"));
  writeFileSync(inDist("stray.js"), "");
  expect(build().stdout).toContain("dist is built");
  expect([existsSync(inDist("testing/index.js")), existsSync(inDist("stray.js"))]).toEqual([
    true,
    false,
  ]);
});

test("a type error fails the build, and so does an HTTP client in the file that Terraform waits for; dist is left as it was", () => {
  const before = statSync(inDist("index.js")).ino;
  const add = (path: string, line: string) => appendFileSync(join(copy, path), `\n${line}\n`);
  add(
    "lib/provider/main.ts",
    'export { HttpTransport } from "../identity/transport/http-transport";',
  );
  add("lib/tokens/fingerprint.ts", 'export const wrong: number = "text";');
  const { status, stdout, stderr } = build();
  expect(status).toBe(1);
  expect(stdout + stderr).toContain("TS2322");
  expect(stderr).toMatch(/provider\.cjs must not hold \S*node_modules\/undici\//);
  expect(stderr).toContain("dist is left as it was");
  expect(statSync(inDist("index.js")).ino).toBe(before);
  expect(readdirSync(copy).filter((name) => name.startsWith("dist"))).toEqual(["dist"]);
});

testIf(existsSync(join(packageRoot, ".git")), "this is not a checkout of Git")(
  "Git keeps the line ends of the launcher's sources, whatever core.autocrlf is",
  () => {
    const file = "lib/plugin/launcher/launcher.sh";
    const args = ["-c", "safe.directory=*", "check-attr", "text", "--", file];
    const { stdout } = spawnSync("git", args, { cwd: packageRoot, encoding: "utf8" });
    expect(stdout).toBe(`${file}: text: unset\n`);
  },
);
