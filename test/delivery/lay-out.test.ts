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

const provider = (content = "provider", version = "0.1.0"): ProviderFiles => {
  const file = (name: string, text: string, mode = 0o644) => ({
    name,
    content: Buffer.from(text),
    mode,
  });
  const folder = (launcher: string, text: string) => ({
    h1: `h1:${text.trim()}${content}`,
    files: [
      file("provider.cjs", content),
      file(`terraform-provider-iam_v${version}${launcher}`, text, 0o755),
    ],
  });
  return { version, unix: folder("", "#!/bin/sh\n"), windows: folder(".exe", "MZ") };
};

const layOut = (stack: string, ...given: Parameters<typeof provider>) =>
  layOutProvider(stack, provider(...given));

/** Expects that a folder of versions has exactly the files of this one, with their modes. */
function expectIn(base: string, content = "provider"): void {
  const files = readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((file) => !file.isDirectory())
    .map((file) => join(file.parentPath, file.name))
    .map((path) => {
      const mode = (lstatSync(path).mode & 0o777).toString(8);
      return [path.slice(base.length), `${mode} ${readFileSync(path, "utf8")}`];
    });
  const folder = (platform: string, launcher: string, text: string) => ({
    [`/0.1.0/${platform}/provider.cjs`]: `644 ${content}`,
    [`/0.1.0/${platform}/terraform-provider-iam_v0.1.0${launcher}`]: `755 ${text}`,
  });
  expect(Object.fromEntries(files)).toEqual({
    "/0.1.0/.gitattributes": expect.stringMatching(/^644 #.*h1:.*h1:.*\n\* binary\n$/),
    ...Object.assign({}, ...UNIX.map((platform) => folder(platform, "", "#!/bin/sh\n"))),
    ...folder("windows_amd64", ".exe", "MZ"),
  });
}

test("the provider is put where Terraform looks, for all platforms, whatever the umask is", () => {
  const stack = temporaryFolder();
  const umask = process.umask(0o077);
  try {
    layOut(stack);
  } finally {
    process.umask(umask);
  }
  expect(pluginFolder(stack)).toBe(
    join(stack, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam"),
  );
  expectIn(pluginFolder(stack));
});

test("platforms share their files, and stacks of one synthesis those that it wrote, but none that it found", () => {
  const [found, first, second] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  layOut(found);
  const together = new Map();
  for (const stack of [found, first, second]) layOutProvider(stack, provider(), together);
  const inodesOf = (stack: string, name: string, platforms = UNIX) =>
    platforms.map((platform) => statSync(join(pluginFolder(stack), "0.1.0", platform, name)).ino);
  const shared = ["provider.cjs", "terraform-provider-iam_v0.1.0"].map((name) =>
    [first, second].flatMap((stack) => inodesOf(stack, name)),
  );
  for (const inodes of shared) expect(new Set(inodes).size).toBe(1);
  expect(inodesOf(first, "provider.cjs", ["windows_amd64"])).toEqual(shared[0]?.slice(0, 1));
  expect(shared[0]).not.toContain(inodesOf(found, "provider.cjs")[0]);
  for (const stack of [first, second]) expectIn(pluginFolder(stack));
});

/** Runs with a function of the file system that fails. */
function failing(name: "linkSync" | "writeFileSync", code: string, run: () => void): void {
  const failed = jest.spyOn(fs, name).mockImplementation((...[path]: unknown[]) => {
    throw Object.assign(new Error("not today"), { code, syscall: "write", path });
  });
  try {
    run();
    expect(failed).toHaveBeenCalled();
  } finally {
    failed.mockRestore();
  }
}

test("copies files that cannot be hard links", () => {
  const stack = temporaryFolder();
  failing("linkSync", "EPERM", () => layOut(stack));
  expectIn(pluginFolder(stack));
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
  layOut(stack);
  const before = statSync(folder).ino;
  change(folder);
  layOut(stack);
  // A new folder may get the number of the old one.
  if (expected === "left") expect(statSync(folder).ino).toBe(before);
  else expectIn(pluginFolder(stack));
});

test("another build of the same version replaces it, but not in a mirror", () => {
  const [stack, mirror] = [temporaryFolder(), temporaryFolder()];
  for (const [content, added] of [
    ["before", "added"],
    ["before", "there"],
    ["after", "other"],
  ] as const) {
    layOut(stack, content);
    expect(addVersion(mirror, provider(content))).toBe(added);
  }
  expectIn(pluginFolder(stack), "after");
  expectIn(mirror, "before");
});

test("removes other versions and leftovers of an interruption; neighbours stay", () => {
  const stack = temporaryFolder();
  layOut(stack, "provider", "0.0.9");
  mkdirSync(join(pluginFolder(stack), ".staging-abc", "new"), { recursive: true });
  const neighbour = join(stack, "terraform.d/plugins/registry.terraform.io/hashicorp/null");
  mkdirSync(neighbour, { recursive: true });
  layOut(stack);
  expect(readdirSync(pluginFolder(stack))).toEqual(["0.1.0"]);
  expect(existsSync(neighbour)).toBe(true);
});

test.each(["terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam", "terraform.d"])(
  "removes nothing through a link in place of %s",
  (name) => {
    const folder = temporaryFolder();
    const [stack, elsewhere] = [join(folder, "stack"), join(folder, "elsewhere")];
    const link = join(stack, name);
    const theirs = join(elsewhere, pluginFolder(stack).slice(link.length), "0.0.9", "theirs");
    mkdirSync(join(theirs, ".."), { recursive: true });
    writeFileSync(theirs, "precious");
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(elsewhere, link);
    layOut(stack);
    expect(readFileSync(theirs, "utf8")).toBe("precious");
    expect(existsSync(join(pluginFolder(stack), "0.1.0", "linux_amd64", "provider.cjs"))).toBe(
      true,
    );
  },
);

test("a full disk leaves the existing files, and reports path and error", () => {
  const stack = temporaryFolder();
  layOut(stack, "before");
  failing("writeFileSync", "ENOSPC", () =>
    expect(() => layOut(stack, "after")).toThrow(
      /provider\.cjs cannot be written: ENOSPC \(write\).*\[ERR_WRITE_FAILED\]/,
    ),
  );
  expectIn(pluginFolder(stack), "before");
});
