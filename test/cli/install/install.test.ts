import {
  chmodSync,
  chownSync,
  lchownSync,
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
import { useScratch } from "../../support/scratch";
import { cli } from "../run-cli";
import "../../../lib/cli/install";

const PROVIDER = "npm.invalid/cdktf-iam-tokens/iam";
const scratch = useScratch();
let folder: string;
beforeEach(() => {
  folder = scratch.home;
});

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
    /^The provider iam N \(npm\.invalid\/.*\) is in "\/mirror"\.\nAdd to Terraform's CLI configuration \(on Windows /,
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
});

test.each(["077", "022", "002", "000"])(
  "with a umask of %s others may read all that is made, and change nothing",
  async (umask) => {
    const before = process.umask(umask);
    try {
      expect((await install("new/mirror")).exitCode).toBe(0);
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

test("a second run puts the provider's own files in place; other versions and providers stay", async () => {
  const first = await install("mirror");
  const own = (platform: string) =>
    base(version(), platform, `terraform-provider-iam_v${version()}`);
  const launcher = readFileSync(own("linux_amd64"));
  const others = [base("0.0.1"), join(folder, "mirror/registry.terraform.io/hashicorp/null")];
  for (const other of others) mkdirSync(other, { recursive: true });
  const changes = [
    // As long: a synthesis would not look at it.
    () => writeFileSync(own("darwin_arm64"), "x".repeat(launcher.length)),
    () => {
      rmSync(own("linux_amd64"));
      symlinkSync("/bin/sh", own("linux_amd64"));
    },
  ];
  for (const change of changes) {
    change();
    expect(await install("mirror")).toEqual(first);
    for (const platform of ["linux_amd64", "darwin_arm64"]) {
      expect(lstatSync(own(platform)).isFile()).toBe(true);
      expect(readFileSync(own(platform))).toEqual(launcher);
    }
  }
  for (const other of others) expect(statSync(other).isDirectory()).toBe(true);
});

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

const isRoot = process.getuid?.() === 0;
const OF_OTHERS: [string, () => void][] = [
  ["of another user", () => chownSync(base(), 1234, 1234)],
  [
    "behind a link of another user",
    () => {
      renameSync(join(folder, "mirror"), join(folder, "real"));
      symlinkSync("real", join(folder, "mirror"));
      lchownSync(join(folder, "mirror"), 1234, 1234);
    },
  ],
  [
    "below one that a team's group may write to",
    () => {
      chownSync(folder, 0, 1234);
      chmodSync(folder, 0o2775);
    },
  ],
];

test.each<[string, () => void]>([
  [
    "behind a link that others may replace",
    () => {
      renameSync(join(folder, "mirror"), join(folder, "elsewhere"));
      mkdirSync(join(folder, "open/mirror"), { recursive: true });
      symlinkSync(join(folder, "elsewhere"), join(folder, "open/mirror/link"));
      symlinkSync("open/mirror/link", join(folder, "mirror"));
      chmodSync(join(folder, "open/mirror"), 0o777);
    },
  ],
  ["that others may write to", () => chmodSync(base(), 0o777)],
  [
    "behind a link to one that others may write to",
    () => {
      renameSync(join(folder, "mirror"), join(folder, "real"));
      symlinkSync("real", join(folder, "mirror"));
      chmodSync(join(folder, "real"), 0o777);
    },
  ],
  ...(isRoot ? OF_OTHERS : []),
])("a folder %s is refused, and left alone", async (_, change) => {
  mkdirSync(base(), { recursive: true });
  change();
  expect(await install("mirror")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^Other users may replace what is in "\S+\/mirror(\/\S+\/iam)?", or a folder above it\. .*\(chmod go-w\)\. \[ERR_USAGE\]\n$/,
    ),
  });
  expect(readdirSync(base())).toEqual([]);
});

const hasOwnGroup = process.getgid?.() === process.getuid?.();

test.each<[string, number]>([
  ["with the sticky bit, as /tmp", 0o1777],
  ...(hasOwnGroup
    ? [["of the user's own group, as Ubuntu makes it", 0o775] as [string, number]]
    : []),
])("a folder %s takes a mirror", async (_, mode) => {
  chmodSync(folder, mode);
  expect((await install("mirror")).exitCode).toBe(0);
});

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
