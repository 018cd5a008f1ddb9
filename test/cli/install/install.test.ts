import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../run-cli";

const PROVIDER = "npm.invalid/cdktf-iam-tokens/iam";
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-install-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const install = (...args: readonly string[]) =>
  cli(["install", ...args], { workingFolder: folder });
const version = () => readdirSync(join(folder, "mirror", PROVIDER))[0] ?? "none";

test("lays the provider out for each platform, with its run bit, and prints what names the folder", async () => {
  const { exitCode, stdout, stderr } = await install("mirror");
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`provider_installation {
  filesystem_mirror {
    path    = "${join(folder, "mirror")}"
    include = ["npm.invalid/*/*"]
  }
  direct {
    exclude = ["npm.invalid/*/*"]
  }
}
`);
  expect(stderr).toMatch(/is now in/);
  const of = join(folder, "mirror", PROVIDER, version());
  expect(readdirSync(of).sort()).toEqual([
    "darwin_amd64",
    "darwin_arm64",
    "linux_amd64",
    "linux_arm64",
  ]);
  expect(
    statSync(join(of, "linux_amd64", `terraform-provider-iam_v${version()}`)).mode & 0o777,
  ).toBe(0o755);
});

test.each([
  ["077", 0o755],
  ["027", 0o755],
  ["002", 0o775],
])(
  "by a umask of %s every folder that it makes lets other users read, and none loses what the umask allows",
  async (umask, mode) => {
    const before = process.umask(umask);
    try {
      expect((await install("new/mirror")).exitCode).toBe(0);
      expect(process.umask()).toBe(Number.parseInt(umask, 8));
    } finally {
      process.umask(before);
    }
    const made = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(made).toHaveLength(10);
    expect(
      new Set(made.map(({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o777)),
    ).toEqual(new Set([mode]));
  },
);

test("again changes nothing, and says the same; other versions and providers stay", async () => {
  await install("mirror");
  const file = join(folder, "mirror", PROVIDER, version(), "linux_amd64", "main.cjs");
  const before = statSync(file).mtimeMs;
  const others = [
    join(folder, "mirror", PROVIDER, "0.0.1"),
    join(folder, "mirror/registry.terraform.io/hashicorp/null"),
  ];
  for (const other of others) mkdirSync(other, { recursive: true });
  const { exitCode, stderr } = await install("mirror");
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/was already in/);
  expect(statSync(file).mtimeMs).toBe(before);
  for (const other of others) expect(statSync(other).isDirectory()).toBe(true);
});

test("what is there under this version and is something else is left as it is", async () => {
  await install("mirror");
  const file = join(folder, "mirror", PROVIDER, version(), "linux_amd64", "main.cjs");
  chmodSync(file, 0o644);
  appendFileSync(file, "// changed");
  const { exitCode, stdout, stderr } = await install("mirror");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/is there already, and is not this provider.*\[ERR_WRITE_FAILED\]/);
  expect(readFileSync(file, "utf8")).toMatch(/\/\/ changed$/);
});

test.each([
  ["a file", "file"],
  ["a folder below a file", "file/below"],
  ["a link to nowhere", "nowhere"],
  ["a folder in which the way is a file", "blocked"],
])("%s is refused", async (_what, dir) => {
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "none"), join(folder, "nowhere"));
  mkdirSync(join(folder, "blocked"));
  writeFileSync(join(folder, "blocked/npm.invalid"), "");
  const { exitCode, stdout, stderr } = await install(dir);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/is not a folder\..*\[ERR_WRITE_FAILED\]/);
});

test.each([[[]], [["a", "b"]], [[""]]])("%j is a usage error", async (args) => {
  expect(await install(...args)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("[ERR_USAGE]"),
  });
});

test("a folder that cannot be made is an error, with its path, and not a wait for ever", async () => {
  // Nobody, whoever it is, makes folders there.
  const { exitCode, stdout, stderr } = await install("/proc/self/mirror");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /^\/proc\/self\/mirror cannot be written: ENOENT \(mkdir\)\. Give a folder that you may write to/,
  );
});
