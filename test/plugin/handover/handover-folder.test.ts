import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PluginStartError } from "../../../lib/plugin/faults";
import { HandoverFolder } from "../../../lib/plugin/handover/handover-folder";
import { makeScratch, type Scratch } from "../../support/scratch";
import { testIf } from "../../support/skips";

let scratch: Scratch;
let folder: string;
beforeEach(() => {
  scratch = makeScratch();
  folder = path.join(scratch.tmp, "iam-tokens-1-1");
});
afterEach(() => scratch.remove());

test("makes the folder for this user only, puts the socket into it, and removes it", () => {
  const place = new HandoverFolder(folder);
  expect(place.socket).toBe(path.join(folder, "s"));
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  place.remove();
  expect(existsSync(folder)).toBe(false);
});

testIf(process.platform === "linux", "the hand-over is for Linux only")(
  "the next server removes the folder of one that was killed before its first line, once its Terraform is gone",
  () => {
    const gone = spawnSync("true").pid;
    new HandoverFolder(path.join(scratch.tmp, `iam-tokens-${gone}-1`));
    new HandoverFolder(folder).tidy();
    expect(readdirSync(scratch.tmp)).toEqual([path.basename(folder)]);
  },
);

test("does not open before the first launcher has made the FIFOs", () => {
  const place = new HandoverFolder(folder);
  expect(place.open(() => {})).toBe(false);
});

test.each<{ readonly what: string; readonly take: () => void }>([
  { what: "folder", take: () => mkdirSync(folder, { mode: 0o700 }) },
  { what: "link to a folder", take: () => symlinkSync(scratch.home, folder) },
  { what: "link to nothing", take: () => symlinkSync(path.join(scratch.home, "nothing"), folder) },
  { what: "file", take: () => writeFileSync(folder, "") },
])("does not use an existing $what", ({ take }) => {
  take();
  expect(() => new HandoverFolder(folder)).toThrow(PluginStartError);
  expect(readdirSync(scratch.home)).toEqual([]);
  expect(lstatSync(folder)).toBeDefined();
});

test("makes no folder in a TMPDIR where others may rename files", () => {
  chmodSync(scratch.tmp, 0o777);
  expect(() => new HandoverFolder(folder)).toThrow(PluginStartError);
  expect(existsSync(folder)).toBe(false);
});
