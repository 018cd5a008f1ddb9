import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dirHash, readProviderFiles } from "../../lib/delivery/provider-files";
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

test("the launcher has its run bit, the others are read only by what starts it", () => {
  mockPackage = fakePackage();
  expect(readProviderFiles().files.map(({ name, mode }) => [name, mode.toString(8)])).toEqual([
    ["clouds.cjs", "644"],
    ["identity.cjs", "644"],
    ["main.cjs", "644"],
    ["provider.cjs", "644"],
    ["terraform-provider-iam_v0.1.0", "755"],
  ]);
});

test("a package that was built again is read again", () => {
  mockPackage = fakePackage();
  const before = readProviderFiles();
  expect(readProviderFiles()).toBe(before);
  writeFileSync(join(mockPackage.root, "dist", "terraform", "main.cjs"), "// other");
  expect(readProviderFiles().h1).not.toBe(before.h1);
});

test.each([
  [
    "a file is missing",
    (root: string) => rmSync(join(root, "dist", "terraform", "identity.cjs")),
    "identity.cjs",
  ],
  [
    "the launcher is of another version",
    (root: string) => rmSync(join(root, "dist", "terraform", "terraform-provider-iam_v0.1.0")),
    "_v0.1.0",
  ],
  [
    "the package was not built",
    (root: string) => rmSync(join(root, "dist"), { recursive: true }),
    "ENOENT",
  ],
])("%s: told by name", (_what, damage, named) => {
  mockPackage = fakePackage();
  damage(mockPackage.root);
  expect(() => readProviderFiles()).toThrow(
    expect.objectContaining({
      code: "ERR_PROVIDER_FILES_MISSING",
      message: expect.stringContaining(named),
    }),
  );
});
