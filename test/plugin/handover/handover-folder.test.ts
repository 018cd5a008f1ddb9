import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HandoverFolder } from "../../../lib/plugin/handover/handover-folder";
import { PluginStartError } from "../../../lib/plugin/server/start-error";
import { makeScratch, type Scratch } from "../../support/scratch";
import { testIf } from "../../support/skips";

let scratch: Scratch;
let folder: string;
beforeEach(() => {
  scratch = makeScratch();
  folder = path.join(scratch.tmp, "iam-tokens-1-1");
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => scratch.remove());

test("the folder that a launcher has made takes the socket", () => {
  expect(new HandoverFolder(folder).socket).toBe(path.join(folder, "s"));
});

test.each([0o755, 0o710, 0o702])("one of mode %o, which others can enter, is refused", (mode) => {
  chmodSync(folder, mode);
  expect(() => new HandoverFolder(folder)).toThrow(PluginStartError);
});

test("a link and a file are refused", () => {
  const [link, file] = ["iam-tokens-2-2", "iam-tokens-3-3"].map((name) => path.join(scratch.tmp, name)) as [string, string];
  symlinkSync(folder, link);
  writeFileSync(file, "", { mode: 0o600 });
  for (const place of [link, file]) expect(() => new HandoverFolder(place)).toThrow(PluginStartError);
});

testIf(process.getuid?.() === 0, "only root can give a folder away")("another user's is refused", () => {
  chownSync(folder, 12_345, 12_345);
  expect(() => new HandoverFolder(folder)).toThrow(PluginStartError);
});
