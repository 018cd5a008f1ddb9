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

/** A copy of what is built from, so that no test builds where others read. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "iam-build-"));
  for (const name of ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"]) {
    cpSync(join(packageRoot, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(packageRoot, "node_modules"), join(copy, "node_modules"), "dir");
  expect(build()).toMatchObject({ status: 0, stdout: expect.stringContaining("dist is built") });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function build(...args: string[]) {
  return spawnSync(process.execPath, [join(copy, "lib/build.mjs"), ...args], {
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

/** What the next build would find. */
function isUpToDate(): boolean {
  const module = pathToFileURL(join(copy, "lib/build/dist-folder.mjs"));
  const { status } = spawnSync(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { isUpToDate } from "${module}"; process.exit(isUpToDate(...process.argv.slice(1)) ? 0 : 3);`,
    copy,
    inDist(""),
  ]);
  expect([0, 3]).toContain(status);
  return status === 0;
}

test("a second build has nothing to do, and touches nothing", () => {
  const before = statSync(inDist("index.js"));
  expect(build()).toMatchObject({ status: 0, stdout: "dist is up to date.\n" });
  expect(statSync(inDist("index.js"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test.each<[what: string, path: string, tamper: (file: string) => void]>([
  ["removed", "testing/index.js", () => {}],
  ["changed", "index.d.ts", (file) => writeFileSync(file, "")],
  ["given other modes", "cli/main.js", (file) => writeFileSync(file, readFileSync(aside()))],
])("a file of dist that somebody has %s is noticed", (_what, path, tamper) => {
  renameSync(inDist(path), aside());
  tamper(inDist(path));
  expect(isUpToDate()).toBe(false);
  renameSync(aside(), inDist(path));
  expect(isUpToDate()).toBe(true);
});

test("what is changed, removed or added is built again, with the same bytes", () => {
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
  expect(stderr).toMatch(/provider\.cjs must not hold lib\/identity\/transport\//);
  expect(stderr).toContain("dist is left as it was");
  expect(statSync(inDist("index.js")).ino).toBe(before);
  expect(beside()).toEqual(["dist"]);
});

test("each bundled package is there with its licence", () => {
  const texts = readFileSync(inDist("terraform/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["undici", "yaml", "zod", "@msgpack/msgpack"])
    expect(texts).toMatch(new RegExp(`^${name} \\d[\\w.]* \\(\\w+\\)$`, "m"));
  expect(readFileSync(inDist("terraform/LICENSE"), "utf8")).toContain("Apache License");
});

test("while others replace it, a forced build does too, and dist is never seen half", async () => {
  const files = readdirSync(inDist("terraform"));
  const module = pathToFileURL(join(copy, "lib/build/dist-folder.mjs"));
  // As builds do at their end, one after the other, and the last of them has the build's bytes.
  const replacing = `import { swapIn } from "${module}"; import { cpSync } from "node:fs";
    for (let turn = 0; turn < 12; turn++) {
      cpSync(process.argv[1], process.argv[2], { recursive: true });
      swapIn(process.argv[2], process.argv[3]);
    }`;
  cpSync(inDist(""), aside(), { recursive: true });
  const programs: ChildProcess[] = [
    spawn(process.execPath, [join(copy, "lib/build.mjs"), "--force"]),
    spawn(process.execPath, [
      "--input-type=module",
      "--eval",
      replacing,
      aside(),
      join(copy, "dist.new-0"),
      join(copy, "dist"),
    ]),
  ];
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
