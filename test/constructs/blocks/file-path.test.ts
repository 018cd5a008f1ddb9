import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { filePathFor } from "../../../lib/constructs/blocks/file-path";
import { temporaryFolder } from "../../support/temporary-folder";

test.each<[path: string, project: string, folder: string, written: string]>([
  // Of the project: relative to the stack's folder.
  ["password", "/p", "/p/cdktf.out/stacks/s", "${abspath(path.root)}/../../../password"],
  ["./password", "/p", "/out/stacks/s", "${abspath(path.root)}/../../../p/password"],
  // A folder's name that looks like a template is text.
  ["password", "/p/${x}/%{y}", "/out", "${abspath(path.root)}/../p/$${x}/%%{y}/password"],
  // Absolute, also on Windows, or an expression: stays, wherever the program is synthesized.
  ...[
    "/run/secrets/password",
    "${path.module}/password",
    "C:\\secrets\\pässword file",
    "d:/secrets/password",
    "\\\\server\\share\\password",
  ].map((path): [string, string, string, string] => [path, "/p", "/p/out", path]),
])("%s of the project %s is, for the stack in %s, %s", (path, project, folder, written) => {
  expect(filePathFor(path, project, folder)).toBe(written);
});

test("an output folder behind a symbolic link is left by its real way", () => {
  const folder = temporaryFolder();
  const project = join(folder, "project");
  const out = join(project, "cdktf.out");
  const elsewhere = join(folder, "elsewhere/deep/er");
  for (const each of [project, elsewhere]) mkdirSync(each, { recursive: true });
  symlinkSync(elsewhere, out);
  expect(filePathFor("password", project, join(out, "stacks/s"))).toBe(
    "${abspath(path.root)}/../../../../../project/password",
  );
});
