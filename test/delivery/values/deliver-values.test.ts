import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  checkValueFolder,
  deliverValues,
  sweepValues,
} from "../../../lib/delivery/values/deliver-values";
import { VALUE_FILE } from "../../../lib/delivery/values/value-file";
import { temporaryFolder } from "../../constructs/support";
import { testIf } from "../../support/skips";

test("tries a folder and leaves it unchanged, and does not make a missing one", () => {
  const folder = temporaryFolder();
  checkValueFolder(folder);
  checkValueFolder(join(folder, "stacks", "a"));
  expect(readdirSync(folder)).toEqual([]);
});

test("values of other stacks are removed, and not those of a folder that has another name for a stack", () => {
  const stacks = temporaryFolder();
  for (const name of ["other", "Web"]) deliverValues(join(stacks, name), { token: "canary" });
  // As on a disk that takes "web" for the "Web" of an earlier synthesis.
  symlinkSync("Web", join(stacks, "web"));
  mkdirSync(join(stacks, "empty"));
  sweepValues(stacks, ["web", "not-there"]);
  const left = readdirSync(stacks).filter((name) => existsSync(join(stacks, name, VALUE_FILE)));
  expect(left.sort()).toEqual(["Web", "web"]);
});

// Its rights let root write; the file system lets nobody.
const SEALED = "/dev/pts";

testIf(existsSync(SEALED), `there is no ${SEALED} here`)(
  "tries to write instead of trusting a folder's rights",
  () => {
    expect(() => checkValueFolder(join(SEALED, "stacks", "a"))).toThrow(
      /\/dev\/pts cannot be written: EACCES.*\[ERR_WRITE_FAILED\]/,
    );
  },
);
