import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

/** A copy of the sources: no test builds where others read. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "iam-build-"));
  const inputs = ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"];
  for (const name of [...inputs, "dist"])
    cpSync(join(packageRoot, name), join(copy, name), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules"), join(copy, "node_modules"), "dir");
  // The tests are run on what was built just before, and the times of copies are others.
  expect(distFolder("writeStamp(...process.argv.slice(1))")).toBe(0);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function build() {
  return spawnSync(process.execPath, [join(copy, "lib/build.mjs")], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
}

const inDist = (path: string) => join(copy, "dist", path);
const aside = () => join(copy, "aside");
const beside = () => readdirSync(copy).filter((name) => name.startsWith("dist"));
const edit = (path: string, change: (text: string) => string) => {
  const before = readFileSync(join(copy, path), "utf8");
  writeFileSync(join(copy, path), change(before));
  return () => writeFileSync(join(copy, path), before);
};

/** The exit code of a program with the build's own functions. */
function distFolder(program: string): number | null {
  const module = pathToFileURL(join(copy, "lib/build/dist-folder.mjs"));
  const whole = `import { isUpToDate, writeStamp } from "${module}"; ${program}`;
  return spawnSync(process.execPath, [
    "--input-type=module",
    "--eval",
    whole,
    copy,
    join(copy, "dist"),
  ]).status;
}

/** Whether the next build would find dist up to date. */
function isUpToDate(): boolean {
  const status = distFolder("process.exit(isUpToDate(...process.argv.slice(1)) ? 0 : 3)");
  expect([0, 3]).toContain(status);
  return status === 0;
}

test("a second build changes no file", () => {
  const before = statSync(inDist("index.js"));
  expect(build()).toMatchObject({ status: 0, stdout: "dist is up to date.\n" });
  expect(statSync(inDist("index.js"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test.each<{ was: string; path: string; tamper: (file: string) => void }>([
  { was: "removed", path: "testing/index.js", tamper: () => {} },
  { was: "changed", path: "index.d.ts", tamper: (file) => writeFileSync(file, "") },
  {
    was: "given other modes",
    path: "cli/main.js",
    tamper: (file) => writeFileSync(file, readFileSync(aside())),
  },
])("notices a file of dist that was $was", ({ path, tamper }) => {
  renameSync(inDist(path), aside());
  tamper(inDist(path));
  expect(isUpToDate()).toBe(false);
  renameSync(aside(), inDist(path));
  expect(isUpToDate()).toBe(true);
});

test("builds again after a change, a removal or an addition, with the same bytes in another folder", () => {
  writeFileSync(inDist("stray.js"), "");
  expect(isUpToDate()).toBe(false);
  rmSync(inDist("stray.js"));
  const undo = edit("lib/tokens/fingerprint.ts", (text) => `${text}\n// One more line.\n`);
  expect(isUpToDate()).toBe(false);
  writeFileSync(inDist("stray.js"), "");
  rmSync(inDist("testing/index.js"));
  const before = readFileSync(inDist("terraform/provider.cjs"));
  expect(build().stdout).toContain("dist is built");
  expect(existsSync(inDist("testing/index.js"))).toBe(true);
  expect(existsSync(inDist("stray.js"))).toBe(false);
  expect(readFileSync(inDist("terraform/provider.cjs")).equals(before)).toBe(true);
  expect(isUpToDate()).toBe(true);
  undo();
  expect(isUpToDate()).toBe(false);
});

test("a type error fails the build, and so does an HTTP client in the file that Terraform waits for; dist is left as it was", () => {
  const before = statSync(inDist("index.js")).ino;
  const undo = edit(
    "lib/provider/main.ts",
    (text) =>
      `${text}\nimport { HttpTransport } from "../identity/transport/http-transport";\nvoid HttpTransport;\n`,
  );
  const undoToo = edit(
    "lib/tokens/fingerprint.ts",
    (text) => `${text}\nexport const wrong: number = "text";\n`,
  );
  const { status, stdout, stderr } = build();
  undo();
  undoToo();
  expect(status).toBe(1);
  expect(stdout + stderr).toContain("TS2322");
  expect(stderr).toContain("tsc has found type errors.");
  expect(stderr).toMatch(/provider\.cjs must not hold \S*node_modules\/undici\//);
  expect(stderr).toContain("dist is left as it was");
  expect(statSync(inDist("index.js")).ino).toBe(before);
  expect(beside()).toEqual(["dist"]);
});

test("every bundled package is listed with its licence", () => {
  const texts = readFileSync(inDist("terraform/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["undici", "yaml", "@msgpack/msgpack"])
    expect(texts).toMatch(new RegExp(`^${name} \\d[\\w.]* \\(\\w+\\)$`, "m"));
  // undici contains it, as WebAssembly.
  expect(texts).toMatch(/^llhttp in undici \(MIT\)\n\n.*\n\nCopyright Fedor Indutny, 2018\.$/m);
  expect(readFileSync(inDist("terraform/LICENSE"), "utf8")).toContain("Apache License");
});

test("dist is never partial while two builds replace it, one right after the other", async () => {
  const files = readdirSync(inDist("terraform"));
  const module = pathToFileURL(join(copy, "lib/build/dist-folder.mjs"));
  // As a build does at its end.
  const replacing = `import { swapIn } from "${module}"; import { cpSync } from "node:fs";
    for (let turn = 0; turn < 5; turn++) {
      cpSync(process.argv[1], process.argv[2], { recursive: true });
      swapIn(process.argv[2], process.argv[3]);
    }`;
  cpSync(inDist(""), aside(), { recursive: true });
  const programs: ChildProcess[] = ["dist.new-0", "dist.new-1"].map((fresh) =>
    spawn(process.execPath, [
      "--input-type=module",
      "--eval",
      replacing,
      aside(),
      join(copy, fresh),
      join(copy, "dist"),
    ]),
  );
  const ended = Promise.all(
    programs.map((child) => new Promise<number | null>((resolve) => child.on("close", resolve))),
  );
  let running = true;
  void ended.then(() => {
    running = false;
  });
  let looks = 0;
  while (running) {
    // Between two renames dist may be away for an instant; what is there is whole.
    const seen = existsSync(inDist("terraform"))
      ? attempt(() => readdirSync(inDist("terraform")))
      : undefined;
    if (seen !== undefined) {
      expect(seen).toEqual(files);
      looks++;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await ended).toEqual([0, 0]);
  expect(looks).toBeGreaterThan(10);
  expect(beside()).toEqual(["dist"]);
}, 60_000);

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

testIf(existsSync(join(packageRoot, ".git")), "this is not a checkout of Git")(
  "Git keeps the line ends of the launcher's sources, whatever core.autocrlf is",
  () => {
    const file = "lib/plugin/launcher/launcher.sh";
    const args = ["-c", "safe.directory=*", "check-attr", "text", "--", file];
    const { stdout } = spawnSync("git", args, { cwd: packageRoot, encoding: "utf8" });
    expect(stdout).toBe(`${file}: text: unset\n`);
  },
);
