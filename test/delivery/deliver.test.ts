import { execFileSync } from "node:child_process";
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { App, TerraformStack } from "cdktf";
import { EmbeddedProvider, ServiceUserToken, TokenScope } from "../../lib";
import { updateLockFile } from "../../lib/delivery/lock/lock-file";
import { dirHash, folderFor, readProviderFiles } from "../../lib/delivery/provider-files";
import {
  annotationsOf,
  fakePackage,
  fullSynth,
  identityIn,
  temporaryFolder,
  testStack,
} from "../constructs/support";

let mockPackage = { root: "", version: "0.1.0" };
jest.mock("../../lib/delivery/package-root", () => ({
  installedPackage: () => mockPackage,
  packageVersion: () => mockPackage.version,
}));

beforeEach(() => {
  mockPackage = fakePackage();
});

const withToken = (stack: TerraformStack) =>
  new ServiceUserToken(stack, "t", { identity: identityIn(stack), scope: TokenScope.account() });

const filesBelow = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]),
  );

/** Synthesizes an app of two stacks into a folder. */
function synthInto(outdir: string, more: (stack: TerraformStack) => void = () => undefined): App {
  const app = new App({ outdir, stackTraces: false });
  for (const id of ["one", "two"]) {
    const stack = new TerraformStack(app, id);
    withToken(stack);
    more(stack);
  }
  app.synth();
  return app;
}

test("each stack gets the provider and a lock entry", () => {
  const outdir = temporaryFolder();
  synthInto(outdir);
  for (const id of ["one", "two"]) {
    const folder = join(outdir, "stacks", id);
    const launcher = join(
      folder,
      "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/0.1.0/linux_amd64/terraform-provider-iam_v0.1.0",
    );
    expect(statSync(launcher).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(folder, ".terraform.lock.hcl"), "utf8")).toMatch(
      /provider "npm\.invalid\/cdktf-iam-tokens\/iam" \{\n {2}version {5}= "0\.1\.0"/,
    );
    expect(JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8"))).toHaveProperty(
      "ephemeral.iam_token.t",
    );
  }
});

test("two syntheses give the same bytes", () => {
  const outdir = temporaryFolder();
  const withNull = (stack: TerraformStack) => void new NullProvider(stack, "null");
  synthInto(outdir, withNull);
  const before = filesBelow(outdir);
  expect(before["/stacks/one/.terraform.lock.hcl"]).toContain(
    'provider "registry.terraform.io/hashicorp/null"',
  );
  synthInto(outdir, withNull);
  expect(filesBelow(outdir)).toEqual(before);
});

test("a stack that only keeps the provider gets all of it", () => {
  const stack = testStack();
  EmbeddedProvider.of(stack);
  const folder = fullSynth(stack);
  expect(existsSync(join(folder, "terraform.d"))).toBe(true);
  expect(readFileSync(join(folder, ".terraform.lock.hcl"), "utf8")).toContain("npm.invalid");
});

test("writes nothing into a stack without our constructs", () => {
  expect(readdirSync(fullSynth(testStack()))).toEqual(["cdk.tf.json"]);
});

test("leaves a file that is not a lock file, with a warning", () => {
  const outdir = temporaryFolder();
  mkdirSync(join(outdir, "stacks", "one"), { recursive: true });
  const path = join(outdir, "stacks", "one", ".terraform.lock.hcl");
  writeFileSync(path, "<<<<<<< ours\n");
  const app = synthInto(outdir);
  expect(readFileSync(path, "utf8")).toBe("<<<<<<< ours\n");
  expect(annotationsOf(app.node.findChild("one") as TerraformStack, "warn")).toEqual([
    expect.stringContaining("was not changed"),
  ]);
});

describe("a provider's lock entry", () => {
  const LOCKED = 'provider "registry.terraform.io/hashicorp/thing" {\n  version = "1.0.0"\n}\n';
  const thing = (requirement: object) => (stack: TerraformStack) =>
    stack.addOverride("terraform.required_providers.thing", requirement);
  const SHORT = { source: "hashicorp/thing", version: "~> 1.0" };

  test.each([
    ["is removed when its version changed", SHORT, { ...SHORT, version: "~> 2.0" }, false],
    ["is removed when it got a version", { source: "thing" }, SHORT, false],
    ["stays under another spelling of the source", { version: "~> 1.0" }, SHORT, true],
    ["stays when another provider is required", SHORT, { source: "team/thing" }, true],
  ])("%s", (_, before, after, stays) => {
    const outdir = temporaryFolder();
    synthInto(outdir, thing(before));
    const path = join(outdir, "stacks/one/.terraform.lock.hcl");
    writeFileSync(path, `${readFileSync(path, "utf8")}${LOCKED}`);
    synthInto(outdir, thing(before));
    expect(readFileSync(path, "utf8")).toContain(LOCKED);
    synthInto(outdir, thing(after));
    expect(readFileSync(path, "utf8").includes(LOCKED)).toBe(stays);
  });

  test.each(["", "[1]", '{"terraform":{"required_providers":[{"version":1}]}}'])(
    "stays when the stack was written as %j before",
    (text) => {
      const folder = join(temporaryFolder(), "stacks/one");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "cdk.tf.json"), text);
      writeFileSync(join(folder, ".terraform.lock.hcl"), LOCKED);
      synthInto(join(folder, "../.."), thing(SHORT));
      expect(readFileSync(join(folder, ".terraform.lock.hcl"), "utf8")).toContain(LOCKED);
    },
  );
});

const OWN = { source: "npm.invalid/cdktf-iam-tokens/iam", version: "0.1.0", hashes: ["h1:x"] };

test("keeps a lock file that is a link as a link", () => {
  const folder = temporaryFolder();
  const kept = join(folder, "kept.hcl");
  writeFileSync(kept, "# kept\n", { mode: 0o640 });
  symlinkSync(kept, join(folder, ".terraform.lock.hcl"));
  updateLockFile(folder, OWN, []);
  expect(readFileSync(kept, "utf8")).toMatch(/^# kept\n\nprovider "npm\.invalid/);
  expect(statSync(kept).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual([".terraform.lock.hcl", "kept.hcl"]);
});

test("does not wait for a FIFO in the place of the lock file, and keeps it", () => {
  const folder = temporaryFolder();
  const path = join(folder, ".terraform.lock.hcl");
  execFileSync("mkfifo", [path]);
  expect(updateLockFile(folder, OWN, [])).toBe(false);
  expect(statSync(path).isFIFO()).toBe(true);
});

test("reports the name of a lock file that cannot be replaced, and leaves no file next to it", () => {
  const folder = temporaryFolder();
  const write = jest.spyOn(fs, "writeFileSync").mockImplementation((path) => {
    throw Object.assign(new Error("read-only"), { code: "EROFS", syscall: "open", path });
  });
  try {
    expect(() => updateLockFile(folder, OWN, [])).toThrow(
      expect.objectContaining({
        code: "ERR_WRITE_FAILED",
        message: expect.stringMatching(/\.terraform\.lock\.hcl cannot be written: EROFS/),
      }),
    );
    expect(write).toHaveBeenCalled();
  } finally {
    write.mockRestore();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("the hash is that of Go's dirhash, in the order of names", () => {
  // printf 'hello\n' > a, printf 'world\n' > b; sha256sum a b | sha256sum, as base64
  const files = [
    { name: "b", content: Buffer.from("world\n") },
    { name: "a", content: Buffer.from("hello\n") },
  ];
  expect(dirHash(files)).toBe("h1:ephnXWwKBNJlLsFYr2nmomous+RjtQns6iFy/9VGr6k=");
});

test.each([
  ["linux_arm64", "terraform-provider-iam_v0.1.0"],
  ["darwin_amd64", "terraform-provider-iam_v0.1.0"],
  ["windows_amd64", "terraform-provider-iam_v0.1.0.exe"],
])("of %s the launcher is %s and has its run bit; no other file has it", (platform, launcher) => {
  const { files, h1 } = folderFor(readProviderFiles(), platform);
  expect(files.map(({ name, mode }) => [name, mode.toString(8)])).toEqual([
    ["clouds.cjs", "644"],
    ["identity.cjs", "644"],
    ["main.cjs", "644"],
    ["objects.cjs", "644"],
    ["provider.cjs", "644"],
    [launcher, "755"],
  ]);
  expect(h1).toBe(dirHash(files));
});

test.each([
  {
    what: "the launcher is of another version",
    damage: (root: string) =>
      rmSync(join(root, "dist", "terraform", "terraform-provider-iam_v0.1.0")),
    named: "_v0.1.0",
  },
  {
    what: "the launcher for Windows is missing",
    damage: (root: string) =>
      rmSync(join(root, "dist", "terraform", "windows"), { recursive: true }),
    named: "_v0.1.0.exe",
  },
  {
    what: "the package was not built",
    damage: (root: string) => rmSync(join(root, "dist"), { recursive: true }),
    named: "ENOENT",
  },
])("reports the name: $what", ({ damage, named }) => {
  damage(mockPackage.root);
  expect(() => readProviderFiles()).toThrow(
    expect.objectContaining({
      code: "ERR_PROVIDER_FILES_MISSING",
      message: expect.stringContaining(named),
    }),
  );
});
