import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { onPlatform } from "../../support/platform";
import { makeScratch, type Scratch } from "../../support/scratch";
import { cli } from "../run-cli";
import "../../../lib/cli/install";

const PROVIDER = "npm.invalid/cdktf-iam-tokens/iam";
let scratch: Scratch;
let folder: string;
beforeEach(() => {
  scratch = makeScratch();
  folder = scratch.home;
});
afterEach(() => scratch.remove());

const install = (...args: readonly string[]) =>
  cli(["install", ...args], { workingFolder: folder });
const base = (...names: readonly string[]) => join(folder, "mirror", PROVIDER, ...names);
const version = () =>
  readdirSync(base())
    .filter((name) => /^[\d.]+\d$/.test(name) && name !== "0.0.1")
    .join();
/** What it prints, without what differs between machines. */
const said = (text: string) => text.replaceAll(folder, "").replaceAll(/\d+\.\d+\.\d+/g, "N");

test("lays the provider out for each platform, and prints the configuration that names the folder", async () => {
  const { exitCode, stdout, stderr } = await install("mirror");
  expect(exitCode).toBe(0);
  const block =
    /terraform \{\n {2}required_providers \{\n {4}iam = \{\n {6}source {2}= "npm\.invalid\/cdktf-iam-tokens\/iam"\n {6}version = "N"\n/;
  expect(said(stderr)).toMatch(
    /^The provider iam N \(npm\.invalid\/.*\) is now in "\/mirror"\.\nAdd to Terraform's CLI configuration \(~\/\.terraformrc, /,
  );
  expect(said(stderr)).toMatch(block);
  expect(said(stdout)).toBe(`provider_installation {
  filesystem_mirror {
    path    = "/mirror"
    include = ["npm.invalid/*/*"]
  }
  direct {
    exclude = ["npm.invalid/*/*"]
  }
}
`);
  expect(readdirSync(base(version())).sort()).toEqual([
    ".gitattributes",
    "darwin_amd64",
    "darwin_arm64",
    "linux_amd64",
    "linux_arm64",
    "windows_amd64",
  ]);
  const launcher = base(version(), "linux_amd64", `terraform-provider-iam_v${version()}`);
  expect(statSync(launcher).mode & 0o777).toBe(0o755);
  const onWindows = await onPlatform("win32", () => install("mirror"));
  expect(onWindows.stderr).toContain("(%APPDATA%\\terraform.rc, %APPDATA%\\tofu.rc, or");
});

test.each(["077", "022", "002", "000"])(
  "with a umask of %s others may read all that is made, and change nothing",
  async (umask) => {
    const before = process.umask(umask);
    try {
      expect((await install("new/mirror")).exitCode).toBe(0);
      expect((await install("--packed", "packed")).exitCode).toBe(0);
      expect(process.umask()).toBe(Number.parseInt(umask, 8));
    } finally {
      process.umask(before);
    }
    const made = readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      ({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o777,
    );
    expect([...new Set(made)].sort()).toEqual([0o644, 0o755]);
  },
);

describe.each<[args: readonly string[], file: () => string]>([
  [[], () => join(version(), `linux_amd64/terraform-provider-iam_v${version()}`)],
  [["--packed"], () => `terraform-provider-iam_${packedVersion()}_linux_amd64.zip`],
])("with %j", (args, file) => {
  const again = () => install(...args, "mirror");

  test("a second run changes nothing and prints the same; other versions and providers stay", async () => {
    const first = await again();
    const before = statSync(base(file())).mtimeMs;
    const others = [base("0.0.1"), join(folder, "mirror/registry.terraform.io/hashicorp/null")];
    for (const other of others) mkdirSync(other, { recursive: true });
    expect(await again()).toEqual({
      ...first,
      stderr: first.stderr.replace("is now in", "was already in"),
    });
    expect(statSync(base(file())).mtimeMs).toBe(before);
    for (const other of others) expect(statSync(other).isDirectory()).toBe(true);
  });

  test("another build of this version stays as it is, and is named", async () => {
    await again();
    // Of the same length.
    const text = readFileSync(base(file()), "latin1");
    writeFileSync(base(file()), text.replace("#!/bin/sh", "#!/bin/ls"), "latin1");
    const { exitCode, stdout, stderr } = await again();
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(said(stderr)).toBe(
      `"/mirror/${PROVIDER}/${said(file())}" differs from the file of this provider N, or is missing. Inspect it, then remove version N from "/mirror/${PROVIDER}" or give another folder. If you remove it, remove its entries from lock files. [ERR_WRITE_FAILED]\n`,
    );
    // Not the content itself, which would be the message.
    expect(readFileSync(base(file()), "latin1").includes("#!/bin/ls")).toBe(true);
  });

  test.each([
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
    ["a link to nowhere", (path: string) => symlinkSync("nowhere", path)],
  ])("%s in the place of a file is not waited for, and is named", async (_, make) => {
    await again();
    const path = base(file());
    rmSync(path);
    make(path);
    const { exitCode, stderr } = await again();
    expect({ exitCode, isNamed: stderr.startsWith(`"${path}" differs`) }).toEqual({
      exitCode: 1,
      isNamed: true,
    });
    expect(lstatSync(path).isFile()).toBe(false);
  });
});

test.each(["version", "platform"])(
  "a link in place of a %s's folder is named, though it leads to the same files",
  async (what) => {
    await install("mirror");
    const place = base(version(), ...(what === "version" ? [] : ["linux_amd64"]));
    renameSync(place, join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), place);
    const { exitCode, stderr } = await install("mirror");
    expect(exitCode).toBe(1);
    expect(stderr.startsWith(`"${place}" differs`)).toBe(true);
  },
);

test.each(["file", "file/below", "nowhere", "blocked", "/proc/self/mirror", "/proc/x\u001b[2J\ny"])(
  "%j, where no folder can be made, is refused",
  async (dir) => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "none/at/all"), join(folder, "nowhere"));
    mkdirSync(join(folder, "blocked"));
    writeFileSync(join(folder, "blocked/npm.invalid"), "");
    expect(await install(dir)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^\S+ cannot be written: E[A-Z]+ \(\w+\)\. Give a writable folder with free disk space, in whose path everything is a folder, or run the command as a user who may write there\. \[ERR_WRITE_FAILED\]\n$/,
      ),
    });
  },
);

test.each([[[]], [["a", "b"]], [[""]]])("%j is a usage error", async (args) => {
  expect(await install(...args)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^\S[^\n]+\[ERR_USAGE\]\n$/),
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

const listed = (name: string) => JSON.parse(readFileSync(base(name), "utf8"));
const packedVersion = () => Object.keys(listed("index.json").versions).at(-1) ?? "none";

test("--packed writes an archive for each platform, lists them with their hashes, and adds other versions", async () => {
  const { exitCode, stdout, stderr } = await install("--packed", "mirror");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^provider_installation \{\n {2}network_mirror \{\n {4}url {5}= "https:/);
  expect(stderr).toContain(", with the address at which a web server has the folder:\n");
  const own = packedVersion();
  const { archives } = listed(`${own}.json`);
  expect(Object.keys(archives)).toHaveLength(5);
  for (const [platform, { url, hashes }] of Object.entries<Record<string, string>>(archives)) {
    expect(url).toBe(`terraform-provider-iam_${own}_${platform}.zip`);
    const hash = createHash("sha256")
      .update(readFileSync(base(url ?? "")))
      .digest("hex");
    expect(hashes).toEqual([expect.stringMatching(/^h1:/), `zh:${hash}`]);
  }
  const modes = readdirSync(base()).map((name) => statSync(base(name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o644]));
  writeFileSync(base("index.json"), '{ "versions": { "0.0.9": {} } }');
  expect((await install("--packed", "mirror")).stderr).toContain("is now in");
  expect(Object.keys(listed("index.json").versions)).toEqual(["0.0.9", own]);
});

test("--with-node lists the archives of a release that are there, and takes none that its SHA256SUMS does not name", async () => {
  await install("--packed", "light");
  const version = Object.keys(
    JSON.parse(readFileSync(join(folder, "light", PROVIDER, "index.json"), "utf8")).versions,
  ).join();
  const name = (platform: string) => `terraform-provider-iam_${version}_${platform}.zip`;
  const release = (file: string) => join(folder, "release", file);
  const sumOf = (content: string) => createHash("sha256").update(content).digest("hex");
  mkdirSync(join(folder, "release"));
  const sums = release(`terraform-provider-iam_${version}_SHA256SUMS`);
  const given = () => install("--with-node", "release", "mirror");
  const refused = async (fact: string) => {
    const { exitCode, stderr } = await given();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(fact)]);
    expect(stderr).toContain("ERR_PROVIDER_FILES_MISSING");
    expect(() => readdirSync(join(folder, "mirror"))).toThrow("ENOENT");
  };

  writeFileSync(release(name("linux_amd64")), "one");
  await refused('_SHA256SUMS" cannot be read');
  writeFileSync(sums, `${sumOf("two")}  ${name("linux_arm64")}\n`);
  await refused('_linux_amd64.zip" is not what terraform-provider-iam_');
  // The right sum, of another file.
  writeFileSync(sums, `${sumOf("one")}  ${name("linux_arm64")}\n`);
  await refused('_linux_amd64.zip" is not what terraform-provider-iam_');

  writeFileSync(
    sums,
    `${sumOf("one")}  ${name("linux_amd64")}\n${sumOf("two")}  ${name("darwin_arm64")}\n`,
  );
  const { exitCode, stdout } = await given();
  expect(exitCode).toBe(0);
  expect(stdout).toContain("network_mirror");
  expect(listed("index.json")).toEqual({ versions: { [version]: {} } });
  expect(listed(`${version}.json`)).toEqual({
    archives: {
      linux_amd64: { url: name("linux_amd64"), hashes: [`zh:${sumOf("one")}`] },
    },
  });
  expect(readFileSync(base(name("linux_amd64")), "utf8")).toBe("one");
  expect((await given()).stderr).toContain("was already in");
  // A mirror has one of both.
  expect(await install("--packed", "mirror")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("differs from the file of this provider"),
  });
  rmSync(release(name("linux_amd64")));
  expect((await given()).stderr).toContain("has no terraform-provider-iam_");
  expect((await install("--with-node", "release", "--packed", "mirror")).exitCode).toBe(2);
});
