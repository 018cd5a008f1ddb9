import { createHash } from "node:crypto";
import {
  appendFileSync,
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
import { onPlatform } from "../../support/platform";
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

test("lays the provider out for each platform, with its run bit, and prints the configuration that names the folder", async () => {
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
    ".gitattributes",
    "darwin_amd64",
    "darwin_arm64",
    "linux_amd64",
    "linux_arm64",
    "windows_amd64",
  ]);
  expect(
    statSync(join(of, "linux_amd64", `terraform-provider-iam_v${version()}`)).mode & 0o777,
  ).toBe(0o755);
});

test("says where the configuration is, with the place for Windows", async () => {
  expect((await install("mirror")).stderr).toContain("(~/.terraformrc, ~/.tofurc, or");
  const { stderr } = await onPlatform("win32", () => install("mirror"));
  expect(stderr).toContain("(%APPDATA%\\terraform.rc, %APPDATA%\\tofu.rc, or");
});

test.each([
  ["077", 0o755],
  ["002", 0o775],
])(
  "with a umask of %s every new folder is readable for other users, and keeps the rights that the umask allows",
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
    expect(made).toHaveLength(11);
    expect(
      new Set(made.map(({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o777)),
    ).toEqual(new Set([mode]));
  },
);

test("a second run changes nothing and prints the same; other versions and providers stay", async () => {
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

test("leaves another build of this version as it is", async () => {
  await install("mirror");
  const file = join(folder, "mirror", PROVIDER, version(), ".gitattributes");
  appendFileSync(file, "# changed");
  const { exitCode, stdout, stderr } = await install("mirror");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/exists and differs from this provider.*\[ERR_WRITE_FAILED\]/);
  expect(readFileSync(file, "utf8")).toMatch(/# changed$/);
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
  expect(stderr).toMatch(/cannot be written: .*everything is a folder.*\[ERR_WRITE_FAILED\]/);
});

test.each([[[]], [["a", "b"]], [[""]]])("%j is a usage error", async (args) => {
  expect(await install(...args)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("[ERR_USAGE]"),
  });
});

test("a folder's name cannot give commands to a CI system, and its path means the same", async () => {
  const name = "##vso[task.setvariable variable=a]b::error::";
  const { exitCode, stdout, stderr } = await install(name);
  expect(exitCode).toBe(0);
  expect(stdout + stderr).not.toMatch(/##vso|::error/);
  const [, path = ""] = /path +=( ".*")/.exec(stdout) ?? [];
  expect(JSON.parse(path)).toBe(join(folder, name));
});

test("reports the path of a folder that cannot be made, without waiting", async () => {
  // No user, not even root, can make folders there.
  const { exitCode, stdout, stderr } = await install("/proc/self/mirror");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /^\/proc\/self\/mirror cannot be written: ENOENT \(mkdir\)\. Give a writable folder/,
  );
});

describe("--packed", () => {
  const packed = (name: string) => join(folder, "mirror", PROVIDER, name);
  const listed = (name: string) => JSON.parse(readFileSync(packed(name), "utf8"));

  test("writes an archive for each platform, and lists them with their hashes", async () => {
    const { exitCode, stdout } = await install("--packed", "mirror");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^provider_installation \{\n {2}network_mirror \{\n {4}url +=.*\n {4}include = \["npm\.invalid\/\*\/\*"\]/,
    );
    const [own = ""] = Object.keys(listed("index.json").versions);
    const { archives } = listed(`${own}.json`);
    expect(Object.keys(archives)).toHaveLength(5);
    for (const [platform, { url, hashes }] of Object.entries<Record<string, string>>(archives)) {
      expect(url).toBe(`terraform-provider-iam_${own}_${platform}.zip`);
      const hash = createHash("sha256")
        .update(readFileSync(packed(String(url))))
        .digest("hex");
      expect(hashes).toEqual([expect.stringMatching(/^h1:/), `zh:${hash}`]);
    }
    const modes = readdirSync(join(folder, "mirror", PROVIDER)).map(
      (name) => statSync(packed(name)).mode & 0o777,
    );
    expect(new Set(modes)).toEqual(new Set([0o644]));
  });

  test("a second run changes nothing; another version is added to the list", async () => {
    await install("--packed", "mirror");
    const before = statSync(packed("index.json")).mtimeMs;
    expect((await install("--packed", "mirror")).stderr).toContain("was already in");
    expect(statSync(packed("index.json")).mtimeMs).toBe(before);
    writeFileSync(packed("index.json"), '{ "versions": { "0.0.9": {} } }');
    expect((await install("--packed", "mirror")).stderr).toContain("is now in");
    expect(Object.keys(listed("index.json").versions)).toEqual(["0.0.9", expect.any(String)]);
  });

  test("an archive that differs stays, and is an error", async () => {
    await install("--packed", "mirror");
    const [own = ""] = Object.keys(listed("index.json").versions);
    const archive = packed(`terraform-provider-iam_${own}_linux_amd64.zip`);
    writeFileSync(archive, "other");
    const { exitCode, stderr } = await install("--packed", "mirror");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ERR_WRITE_FAILED")]);
    expect(readFileSync(archive, "utf8")).toBe("other");
  });
});
