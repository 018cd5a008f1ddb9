import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { addVersion, layOutProvider, pluginFolder } from "../../lib/delivery/lay-out";
import type { ProviderFiles } from "../../lib/delivery/provider-files";
import { temporaryFolder } from "../constructs/support";

const UNIX = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"];

const provider = (version: string, content = "provider"): ProviderFiles => {
  const shared = { name: "provider.cjs", content: Buffer.from(content), mode: 0o644 };
  const folder = (launcher: string, text: string) => ({
    h1: `h1:${Buffer.from(text + content).toString("base64")}`,
    files: [
      shared,
      {
        name: `terraform-provider-iam_v${version}${launcher}`,
        content: Buffer.from(text),
        mode: 0o755,
      },
    ],
  });
  return { version, unix: folder("", "#!/bin/sh\n"), windows: folder(".exe", "MZ") };
};

/** Every file below a folder with its mode and content. */
function treeOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => !file.isDirectory())
      .map((file) => join(file.parentPath, file.name))
      .sort()
      .map((path) => [
        path.slice(folder.length + 1),
        `${(lstatSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`,
      ]),
  );
}

const expectedTree = (version: string, content = "provider") => ({
  [`${version}/.gitattributes`]: expect.stringMatching(/^644 #.*h1:.*h1:.*\n\* binary\n$/),
  ...Object.fromEntries(
    UNIX.flatMap((platform) => [
      [`${version}/${platform}/provider.cjs`, `644 ${content}`],
      [`${version}/${platform}/terraform-provider-iam_v${version}`, "755 #!/bin/sh\n"],
    ]),
  ),
  [`${version}/windows_amd64/provider.cjs`]: `644 ${content}`,
  [`${version}/windows_amd64/terraform-provider-iam_v${version}.exe`]: "755 MZ",
});

test("the provider is put where Terraform looks, for all platforms, whatever the umask is", () => {
  const stack = temporaryFolder();
  const umask = process.umask(0o077);
  try {
    layOutProvider(stack, provider("0.1.0"));
  } finally {
    process.umask(umask);
  }
  expect(pluginFolder(stack)).toBe(
    join(stack, "terraform.d", "plugins", "npm.invalid", "cdktf-iam-tokens", "iam"),
  );
  expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0"));
});

test("platforms share their files", () => {
  const stack = temporaryFolder();
  layOutProvider(stack, provider("0.1.0"));
  const inodesOf = (platforms: readonly string[], name: string) =>
    platforms.map((platform) => statSync(join(pluginFolder(stack), "0.1.0", platform, name)).ino);
  const shared = inodesOf([...UNIX, "windows_amd64"], "provider.cjs");
  expect(new Set(shared).size).toBe(1);
  expect(new Set(inodesOf(UNIX, "terraform-provider-iam_v0.1.0")).size).toBe(1);
});

test("stacks of one synthesis share the files that it wrote, and none that it found", () => {
  const [found, first, second] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  layOutProvider(found, provider("0.1.0"));
  const together = new Map();
  for (const stack of [found, first, second]) layOutProvider(stack, provider("0.1.0"), together);
  const [theirs, ...ours] = [found, first, second].map(
    (stack) => statSync(join(pluginFolder(stack), "0.1.0/linux_amd64/provider.cjs")).ino,
  );
  expect(new Set(ours).size).toBe(1);
  expect(ours).not.toContain(theirs);
  for (const stack of [first, second])
    expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0"));
});

test("copies files that cannot be hard links", () => {
  const stack = temporaryFolder();
  const link = jest.spyOn(fs, "linkSync").mockImplementation(() => {
    throw Object.assign(new Error("no links here"), { code: "EPERM" });
  });
  try {
    layOutProvider(stack, provider("0.1.0"));
    expect(link).toHaveBeenCalled();
  } finally {
    link.mockRestore();
  }
  expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0"));
});

test.each<[string, "left" | "renewed", (version: string) => void]>([
  ["nothing changed", "left", () => undefined],
  // Terraform notices it, not synthesis.
  ["a file changed", "left", (at) => writeFileSync(join(at, "linux_amd64/provider.cjs"), "x")],
  ["the stamp changed", "renewed", (at) => writeFileSync(join(at, ".gitattributes"), "* text")],
  ["the stamp is missing", "renewed", (at) => unlinkSync(join(at, ".gitattributes"))],
  [
    "the version's folder is a file",
    "renewed",
    (at) => {
      rmSync(at, { recursive: true });
      writeFileSync(at, "");
    },
  ],
])("a second time, when %s, it is %s", (_, expected, change) => {
  const stack = temporaryFolder();
  const folder = join(pluginFolder(stack), "0.1.0");
  layOutProvider(stack, provider("0.1.0"));
  const before = statSync(folder).ino;
  change(folder);
  layOutProvider(stack, provider("0.1.0"));
  // A new folder may get the number of the old one.
  if (expected === "left") expect(statSync(folder).ino).toBe(before);
  else expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0"));
});

test("another build of the same version replaces it, but not in a mirror", () => {
  const stack = temporaryFolder();
  layOutProvider(stack, provider("0.1.0", "before"));
  layOutProvider(stack, provider("0.1.0", "after"));
  expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0", "after"));
  const mirror = temporaryFolder();
  expect(addVersion(mirror, provider("0.1.0", "before"))).toBe("added");
  expect(addVersion(mirror, provider("0.1.0", "before"))).toBe("there");
  expect(addVersion(mirror, provider("0.1.0", "after"))).toBe("other");
  expect(treeOf(mirror)).toEqual(expectedTree("0.1.0", "before"));
});

test("removes other versions and leftovers of an interruption; neighbours stay", () => {
  const stack = temporaryFolder();
  layOutProvider(stack, provider("0.0.9"));
  mkdirSync(join(pluginFolder(stack), ".staging-abc", "new"), { recursive: true });
  const neighbour = join(
    stack,
    "terraform.d",
    "plugins",
    "registry.terraform.io",
    "hashicorp",
    "null",
  );
  mkdirSync(neighbour, { recursive: true });
  layOutProvider(stack, provider("0.1.0"));
  expect(readdirSync(pluginFolder(stack))).toEqual(["0.1.0"]);
  expect(existsSync(neighbour)).toBe(true);
});

test.each([
  { place: "the provider's folder", linkOf: (stack: string) => pluginFolder(stack) },
  { place: "terraform.d", linkOf: (stack: string) => join(stack, "terraform.d") },
])("removes nothing through a link in place of $place", ({ linkOf }) => {
  const folder = temporaryFolder();
  const [stack, elsewhere] = [join(folder, "stack"), join(folder, "elsewhere")];
  const link = linkOf(stack);
  const theirs = join(elsewhere, pluginFolder(stack).slice(link.length), "0.0.9", "theirs");
  mkdirSync(join(theirs, ".."), { recursive: true });
  writeFileSync(theirs, "precious");
  mkdirSync(join(link, ".."), { recursive: true });
  symlinkSync(elsewhere, link);
  layOutProvider(stack, provider("0.1.0"));
  expect(readFileSync(theirs, "utf8")).toBe("precious");
  expect(existsSync(join(pluginFolder(stack), "0.1.0", "linux_amd64", "provider.cjs"))).toBe(true);
});

test("a full disk leaves the existing files, and reports path and error", () => {
  const stack = temporaryFolder();
  layOutProvider(stack, provider("0.1.0", "before"));
  const write = jest.spyOn(fs, "writeFileSync").mockImplementation((path) => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "write", path });
  });
  try {
    expect(() => layOutProvider(stack, provider("0.1.0", "after"))).toThrow(
      expect.objectContaining({
        code: "ERR_WRITE_FAILED",
        message: expect.stringMatching(/provider\.cjs cannot be written: ENOSPC \(write\)/),
      }),
    );
    expect(write).toHaveBeenCalled();
  } finally {
    write.mockRestore();
  }
  expect(treeOf(pluginFolder(stack))).toEqual(expectedTree("0.1.0", "before"));
});

test("reports path and error of a place that cannot be written to", () => {
  const stack = temporaryFolder();
  // A file where a folder is to be: an error also for a user who may write everywhere.
  writeFileSync(join(stack, "terraform.d"), "");
  expect(() => layOutProvider(stack, provider("0.1.0"))).toThrow(
    expect.objectContaining({
      code: "ERR_WRITE_FAILED",
      message: expect.stringMatching(/terraform\.d.* cannot be written: (ENOTDIR|EEXIST)/),
    }),
  );
});
