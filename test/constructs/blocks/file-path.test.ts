import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { filePathFor } from "../../../lib/constructs/blocks/file-path";
import { temporaryFolder } from "../support";

test("a path of the project is written relative to the stack's folder", () => {
  expect(filePathFor("secrets/password", "/p", "/p/cdktf.out/stacks/s")).toBe(
    "${abspath(path.root)}/../../../secrets/password",
  );
  expect(filePathFor("./password", "/p", "/out/stacks/s")).toBe(
    "${abspath(path.root)}/../../../p/password",
  );
});

test("absolute paths and Terraform expressions stay", () => {
  expect(filePathFor("/run/secrets/password", "/p", "/p/out")).toBe("/run/secrets/password");
  expect(filePathFor("${path.module}/password", "/p", "/p/out")).toBe("${path.module}/password");
});

test.each(["C:\\secrets\\pässword file", "d:/secrets/password", "\\\\server\\share\\password"])(
  "the absolute path %s of Windows stays, wherever the program is synthesized",
  (path) => {
    expect(filePathFor(path, "/p", "/p/out")).toBe(path);
  },
);

test("an output folder behind a symbolic link is left by its real way", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "project"));
  mkdirSync(join(folder, "elsewhere", "deep", "er"), { recursive: true });
  symlinkSync(join(folder, "elsewhere", "deep", "er"), join(folder, "project", "cdktf.out"));
  const path = filePathFor(
    "password",
    join(folder, "project"),
    join(folder, "project", "cdktf.out", "stacks", "s"),
  );
  expect(path).toBe("${abspath(path.root)}/../../../../../project/password");
});

test("a folder's name that looks like a template is text", () => {
  expect(filePathFor("password", "/p/${x}/%{y}", "/out")).toBe(
    "${abspath(path.root)}/../p/$${x}/%%{y}/password",
  );
});
