import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  dirHash,
  folderFor,
  launcherName,
  readProviderFiles,
} from "../../lib/delivery/provider-files";
import { temporaryFolder } from "../support/temporary-folder";

/** A package folder with a provider in it that only looks like one. */
function fakePackage() {
  const root = temporaryFolder();
  const launcher = "terraform-provider-iam_v0.1.0";
  mkdirSync(join(root, "dist/terraform/windows"), { recursive: true });
  for (const name of ["z.cjs", "main.cjs", launcher, `windows/${launcher}.exe`])
    writeFileSync(join(root, "dist/terraform", name), name);
  return { root, version: "0.1.0" };
}

test("the hash is that of Go's dirhash", () => {
  // printf 'hello\n' > a, printf 'world\n' > b; sha256sum a b | sha256sum, as base64
  const files = Object.entries({ a: "hello\n", b: "world\n" }).map(([name, text]) => ({
    name,
    content: Buffer.from(text),
  }));
  expect(dirHash(files)).toBe("h1:ephnXWwKBNJlLsFYr2nmomous+RjtQns6iFy/9VGr6k=");
});

test.each([
  ["linux_arm64", "terraform-provider-iam_v0.1.0"],
  ["windows_amd64", "terraform-provider-iam_v0.1.0.exe"],
])("of %s the launcher is %s and has its run bit; no other file has it", (platform, launcher) => {
  expect(launcherName("0.1.0", platform)).toBe(launcher);
  const { files, h1 } = folderFor(readProviderFiles(fakePackage()), platform);
  expect(files.map(({ name, mode }) => `${name} ${mode.toString(8)}`)).toEqual([
    "main.cjs 644",
    `${launcher} 755`,
    "z.cjs 644",
  ]);
  expect(h1).toBe(dirHash(files));
});

test("files are read once", () => {
  const installed = fakePackage();
  const files = readProviderFiles(installed);
  rmSync(installed.root, { recursive: true });
  expect(readProviderFiles(installed)).toBe(files);
  expect(files.version).toBe("0.1.0");
});

test.each([
  [
    "dist/terraform/terraform-provider-iam_v0.1.0",
    /terraform-provider-iam_v0\.1\.0 .* \(ENOENT\).*\[ERR_PROVIDER_FILES_MISSING\]/,
  ],
  [
    "dist/terraform/windows",
    /terraform-provider-iam_v0\.1\.0\.exe .* \(ENOENT\).*\[ERR_PROVIDER_FILES_MISSING\]/,
  ],
  ["dist", /dist.terraform .*\(ENOENT\).*\[ERR_PROVIDER_FILES_MISSING\]/],
])("without %s it is an error that names the path", (missing, message) => {
  const installed = fakePackage();
  rmSync(join(installed.root, missing), { recursive: true });
  const cause = expect.objectContaining({ code: "ENOENT" });
  const failed = { message: expect.stringMatching(message), cause };
  expect(() => readProviderFiles(installed)).toThrow(expect.objectContaining(failed));
});
