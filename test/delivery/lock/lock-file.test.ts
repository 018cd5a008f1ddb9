import { execFileSync } from "node:child_process";
import fs, { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, writing } from "../../../lib/delivery/files";
import { updateLockFile } from "../../../lib/delivery/lock/lock-file";
import { lockEntriesIn } from "../../../lib/hcl/lock-entries";
import { temporaryFolder } from "../../support/temporary-folder";

const OWN = { source: "npm.invalid/cdktf-iam-tokens/iam", version: "0.1.0", hashes: ["h1:x"] };
const NAME = ".terraform.lock.hcl";
let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, NAME);
});

const THING = "registry.terraform.io/hashicorp/thing";
const LOCKED = `provider "${THING}" {\n  version = "1.0.0"\n}\n`;
const before = (required_providers: object) =>
  JSON.stringify({ terraform: { required_providers } });

test.each([
  ["is removed when its version changed", before({ thing: { version: "~> 2.0" }, x: {} }), false],
  ["is removed when it had none", before({ x: { source: "hashicorp/thing" } }), false],
  ["stays with its version", before({ x: { source: THING, version: "~> 1.0" } }), true],
  ["stays when another was required", before({ thing: { source: "team/thing" } }), true],
  ["stays if the stack was not there", undefined, true],
  ["stays if the stack cannot be read", before([{ version: 1 }]), true],
])("the entry of a provider %s before", (_, previous, stays) => {
  writeFileSync(path, LOCKED);
  if (previous !== undefined) writeFileSync(join(folder, "cdk.tf.json"), previous);
  expect(updateLockFile(folder, OWN, [{ source: THING, version: "~> 1.0" }])).toBe(true);
  const text = readFileSync(path, "utf8");
  expect([text.includes(LOCKED), text.includes(`provider "${OWN.source}"`)]).toEqual([stays, true]);
});

test.each([THING, "registry.opentofu.org/hashicorp/thing"])(
  "the entry of a provider whose version changed is removed, whichever program wrote it: %s",
  (source) => {
    const entries = [THING, "registry.opentofu.org/hashicorp/thing", "registry.opentofu.org/x/y"];
    const written = (name: string) => `provider "${name}" {\n  version = "1.0.0"\n}\n`;
    const kept = source === THING ? entries.slice(0, 1) : entries;
    writeFileSync(path, [...kept, "aaa.example.com/x/y"].map(written).join("\n"));
    writeFileSync(join(folder, "cdk.tf.json"), before({ thing: { version: "~> 2.0" } }));
    updateLockFile(folder, OWN, [{ source: THING, version: "~> 1.0" }]);
    const text = readFileSync(path, "utf8").replace(/\/\*[\s\S]*\*\//, "");
    const left = lockEntriesIn(text)?.map((entry) => entry.source);
    const others = ["aaa.example.com/x/y", ...kept.slice(2)];
    expect(left?.sort()).toEqual([OWN.source, ...others].sort());
  },
);

test("the mode of the file stays; one that is as it should be is not written", () => {
  writeFileSync(path, "# kept\n", { mode: 0o640 });
  updateLockFile(folder, OWN, []);
  expect(readFileSync(path, "utf8")).toMatch(/^# kept\n\nprovider "npm\.invalid/);
  const { mode, ino } = statSync(path);
  expect(mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual([NAME]);
  updateLockFile(folder, OWN, []);
  expect(statSync(path).ino).toBe(ino);
});

test("does not wait for a FIFO, and keeps it, as a file that is not in Terraform's form", () => {
  execFileSync("mkfifo", [path]);
  expect(updateLockFile(folder, OWN, [])).toBe(false);
  expect(statSync(path).isFIFO()).toBe(true);
});

test("reports the name of a file that cannot be replaced, and leaves no file next to it", () => {
  const cause = Object.assign(new Error(), { code: "EROFS", syscall: "rename" });
  jest.spyOn(fs, "renameSync").mockImplementationOnce(() => {
    throw cause;
  });
  const problem = `${path} cannot be written: EROFS (rename).`;
  const failed = expect.objectContaining({ code: "ERR_WRITE_FAILED", problem, cause });
  expect(() => updateLockFile(folder, OWN, [])).toThrow(failed);
  expect(readdirSync(folder)).toEqual([]);
  expect(() => writing(path, () => JSON.parse("{"))).toThrow(SyntaxError);
});

test("a file is first written under a name that nothing has", () => {
  const taken = join(folder, "taken");
  writeFileSync(taken, "");
  for (const temporary of [taken, join(folder, "none/new")])
    expect(() => replaceFile(path, "", 0o600, temporary)).toThrow(
      expect.objectContaining({ path, syscall: "open" }),
    );
});
