import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutProvider, pluginFolder } from "../../lib/delivery/lay-out";
import { dirHash, folderFor, readProviderFiles } from "../../lib/delivery/provider-files";
import { version as EMBEDDED } from "../../package.json";
import { fakePackage, temporaryFolder } from "../constructs/support";
import { packageRoot } from "../support/project";

let mockPackage = { root: "", version: "0.1.0" };
jest.mock("../../lib/delivery/package-root", () => ({
  installedPackage: () => mockPackage,
  packageVersion: () => mockPackage.version,
}));

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
  mockPackage = fakePackage();
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
  ["darwin_amd64", "linux_amd64"],
  ["darwin_arm64", "linux_arm64"],
])("%s has the files of %s, byte by byte, and their hash", (mac, linux) => {
  mockPackage = { root: packageRoot, version: EMBEDDED };
  const stack = temporaryFolder();
  const provider = readProviderFiles();
  layOutProvider(stack, provider);
  const filesOf = (platform: string) => {
    const folder = join(pluginFolder(stack), EMBEDDED, platform);
    return readdirSync(folder).map((name) => {
      const { mode } = statSync(join(folder, name));
      return [name, mode, readFileSync(join(folder, name), "base64")];
    });
  };
  expect(filesOf(mac)).toHaveLength(folderFor(provider, mac).files.length);
  expect(filesOf(mac)).toEqual(filesOf(linux));
  expect(folderFor(provider, mac).h1).toBe(folderFor(provider, linux).h1);
});

test("a package that was built again is read again", () => {
  mockPackage = fakePackage();
  const before = readProviderFiles();
  expect(readProviderFiles()).toBe(before);
  writeFileSync(join(mockPackage.root, "dist", "terraform", "main.cjs"), "// other");
  expect(readProviderFiles().unix.h1).not.toBe(before.unix.h1);
  expect(readProviderFiles().windows.h1).not.toBe(before.windows.h1);
});

test.each([
  {
    what: "a file is missing",
    damage: (root: string) => rmSync(join(root, "dist", "terraform", "identity.cjs")),
    named: "identity.cjs",
  },
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
  mockPackage = fakePackage();
  damage(mockPackage.root);
  expect(() => readProviderFiles()).toThrow(
    expect.objectContaining({
      code: "ERR_PROVIDER_FILES_MISSING",
      message: expect.stringContaining(named),
    }),
  );
});
