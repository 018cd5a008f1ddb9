import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

/** A test file, and the titles in it that are refused, with why. */
const FILE = `
test.each([{ a: "one" }])("a table of $a", () => {});
test.each([{ a: "one" }])("a table without $b", () => {});
test.each([["one"]])("%s, and %s", () => {});
test.each([[{ a: { b: 1 } }]])("a value, %j", () => {});
test.each([[undefined]])("a value, %p", () => {});
test.each([[() => {}]])("a value, %p", () => {});
test.each([1, 2])("row %${""}#", () => {});
test("with "+"a".repeat(155), () => {});
test("with "+"b".repeat(156), () => {});
for (const room of ["a room", "another room"]) describe(room, () => test("has a test", () => {}));
describe("a room", () => test("has a test", () => {}));
`;
const REFUSED = `
has a column that its row does not have: a table without $b
has a column that its row does not have: one, and %s
has a printed object: a value, {"a":{"b":1}}
has a value that is not there: a value, undefined
has a printed object: a value, [Function anonymous]
is longer than 160 characters: with ${"b".repeat(156)}
is there twice: a room has a test
is an index: %${""}#`;

const scratch = useScratch();

test("a test whose title does not name it is refused, with its file", () => {
  writeFileSync(join(scratch.folder, "some.test.js"), FILE);
  const config = {
    rootDir: scratch.folder,
    // It would be in the temporary folder of this machine.
    cacheDirectory: scratch.folder,
    testEnvironment: join(packageRoot, "test/support/jest/environment.cjs"),
  };
  const jest = join(packageRoot, "node_modules/jest/bin/jest.js");
  const args = [jest, "--config", JSON.stringify(config), "--no-cache"];
  const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: scratch.folder });
  expect(stderr).toContain(REFUSED.replaceAll("\n", "\n    "));
});
