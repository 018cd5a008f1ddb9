import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkValueFolder } from "../../../lib/delivery/values/deliver-values";
import { temporaryFolder } from "../../constructs/support";
import { testIf } from "../../support/skips";

test("a folder is tried and left as it was, and one that is not there is not made", () => {
  const folder = temporaryFolder();
  checkValueFolder(folder);
  checkValueFolder(join(folder, "stacks", "a"));
  expect(readdirSync(folder)).toEqual([]);
});

// Its rights let root write; the file system lets nobody.
const SEALED = "/dev/pts";

testIf(existsSync(SEALED), `there is no ${SEALED} here`)(
  "what a folder's rights promise is not believed",
  () => {
    expect(() => checkValueFolder(join(SEALED, "stacks", "a"))).toThrow(
      /\/dev\/pts cannot be written: EACCES.*\[ERR_WRITE_FAILED\]/,
    );
  },
);
