import { rmSync } from "node:fs";
import { join } from "node:path";
import { dirHash, folderFor, readProviderFiles } from "../../lib/delivery/provider-files";
import { fakePackage } from "../constructs/support";

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
