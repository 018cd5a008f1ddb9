import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  dirHash,
  folderFor,
  launcherName,
  readProviderFiles,
} from "../../lib/delivery/provider-files";
import { temporaryFolder } from "../constructs/support";

/** A package folder with a provider in it that only looks like one. */
function fakePackage() {
  const root = temporaryFolder();
  const folder = join(root, "dist/terraform");
  mkdirSync(join(folder, "windows"), { recursive: true });
  for (const name of ["main", "provider", "identity", "clouds", "objects"].map((it) => `${it}.cjs`))
    writeFileSync(join(folder, name), `// ${name}\n`);
  writeFileSync(join(folder, "terraform-provider-iam_v0.1.0"), "#!/bin/sh\nexit 1\n");
  writeFileSync(join(folder, "windows/terraform-provider-iam_v0.1.0.exe"), "MZ");
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
  ["darwin_amd64", "terraform-provider-iam_v0.1.0"],
  ["windows_amd64", "terraform-provider-iam_v0.1.0.exe"],
])("of %s the launcher is %s and has its run bit; no other file has it", (platform, launcher) => {
  expect(launcherName("0.1.0", platform)).toBe(launcher);
  const installed = fakePackage();
  writeFileSync(join(installed.root, "dist/terraform/z.cjs"), "");
  const { files, h1 } = folderFor(readProviderFiles(installed), platform);
  expect(files.map(({ name, mode }) => `${name} ${mode.toString(8)}`)).toEqual([
    ...["clouds", "identity", "main", "objects", "provider"].map((name) => `${name}.cjs 644`),
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
  ["dist/terraform/terraform-provider-iam_v0.1.0", /terraform-provider-iam_v0\.1\.0 .* \(ENOENT\)/],
  ["dist/terraform/windows", /terraform-provider-iam_v0\.1\.0\.exe .* \(ENOENT\)/],
  ["dist", /dist.terraform .*\(ENOENT\)/],
])("without %s it is an error that names the path", (missing, message) => {
  const installed = fakePackage();
  rmSync(join(installed.root, missing), { recursive: true });
  expect(() => readProviderFiles(installed)).toThrow(
    expect.objectContaining({
      code: "ERR_PROVIDER_FILES_MISSING",
      message: expect.stringMatching(message),
    }),
  );
});
