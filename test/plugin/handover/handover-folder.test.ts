import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createHandoverFolder } from "../../../lib/plugin/handover/handover-folder";
import { useScratch } from "../../support/scratch";

const scratch = useScratch();
let folder: string;
beforeEach(() => {
  folder = path.join(scratch.tmp, "iam-tokens-1-1");
});

test("makes the folder for this user only, puts the socket into it, and removes its own files", () => {
  const place = createHandoverFolder(folder);
  expect(place.socket).toBe(path.join(folder, "s"));
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ["s", "control", "1", ".64", "c12", "other"])
    writeFileSync(path.join(folder, name), "");
  place.remove();
  expect(readdirSync(folder)).toEqual(["other"]);
  unlinkSync(path.join(folder, "other"));
  place.remove();
  expect(existsSync(folder)).toBe(false);
});

test("does not open before the first launcher has made the FIFOs", () => {
  const place = createHandoverFolder(folder);
  expect(place.open(() => {})).toBe(false);
});

test.each<{ readonly what: string; readonly take: () => void }>([
  { what: "folder", take: () => mkdirSync(folder, { mode: 0o700 }) },
  { what: "link to a folder", take: () => symlinkSync(scratch.home, folder) },
  { what: "file", take: () => writeFileSync(folder, "") },
])("does not use an existing $what", ({ take }) => {
  take();
  expect(() => createHandoverFolder(folder)).toThrow();
  expect(readdirSync(scratch.home)).toEqual([]);
  expect(lstatSync(folder)).toBeDefined();
});

test.each<{ readonly what: string; readonly place: () => string }>([
  {
    what: "others may rename files",
    place: () => {
      chmodSync(scratch.tmp, 0o777);
      return folder;
    },
  },
  {
    what: "launchers would not find it, behind a link",
    place: () => {
      symlinkSync(scratch.tmp, path.join(scratch.home, "link"));
      return path.join(scratch.home, "link", "iam-1-1");
    },
  },
])("makes no folder where $what", ({ place }) => {
  const unfit = place();
  expect(() => createHandoverFolder(unfit)).toThrow();
  expect(existsSync(unfit)).toBe(false);
});
