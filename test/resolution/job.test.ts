import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { filePathFor } from "../../lib/constructs/blocks/file-path";
import { knownArguments } from "../../lib/resolution/job";
import { temporaryFolder } from "../support/temporary-folder";

const PLACES = { project: "/project", stackFolder: "/project/cdktf.out/stacks/main" };

test("strings, flags and lists are as Terraform would see them, without omitted arguments", () => {
  const given = { a: "1$${x}2%%{y}", b: true, c: ["x", "y"], d: undefined, e: null };
  const known = { a: "1${x}2%{y}", b: true, c: ["x", "y"] };
  expect(knownArguments(given, PLACES)).toStrictEqual(known);
});

test.each([
  "${var.x}",
  "a${b}",
  "%{ if x }",
  "${path.root}/${var.x}",
  "${path.module}/x",
  "${path.root}",
])("%s is left to Terraform", (text) => {
  expect(() => knownArguments({ password_file: text }, PLACES)).toThrow(
    /password_file .*ERR_RESOLUTION_UNKNOWN/,
  );
  expect(() => knownArguments({ destinations: ["https://a.test", text] }, PLACES)).toThrow(
    /destinations /,
  );
});

test("a file outside of the project, and an output folder that is a link", () => {
  const [project, elsewhere] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(elsewhere, "out"));
  symlinkSync(join(elsewhere, "out"), join(project, "cdktf.out"));
  const stackFolder = join(project, "cdktf.out", "stacks", "main");
  const known = (path: string) =>
    knownArguments({ file: filePathFor(path, project, stackFolder) }, { project, stackFolder })
      .file;
  expect(known(".")).toBe(".");
  expect(known("secrets/password")).toBe("secrets/password");
  expect(knownArguments({ file: "${path.root}/a$${b" }, { project, stackFolder }).file).toBe(
    join(elsewhere, "out/stacks/main/a${b"),
  );
  expect(known("../password")).toBe(join(project, "..", "password"));
  expect(known("/run/secrets/password")).toBe("/run/secrets/password");
});
