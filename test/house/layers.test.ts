import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

const { forbidden } = require(join(packageRoot, ".dependency-cruiser.cjs")) as {
  readonly forbidden: readonly { readonly name: string }[];
};

/** Rooms and single files of lib that have a rule of what they may import. */
const ruled = forbidden
  .filter(({ name }) => name.endsWith("-imports"))
  .map(({ name }) => name.replace(/-imports$/, ""));

const rooms = readdirSync(join(packageRoot, "lib"), { withFileTypes: true })
  .filter((entry) => (entry.isDirectory() ? entry.name !== "build" : entry.name.endsWith(".ts")))
  .map(({ name }) => name);

test("each room of lib has a rule, and a line in the map of ARCHITECTURE.md", () => {
  const map = readFileSync(join(packageRoot, "ARCHITECTURE.md"), "utf8");
  const drawn = [...map.matchAll(/^\| `lib\/([\w.-]+)/gm)].map(([, name = ""]) => name);
  expect(rooms.length).toBeGreaterThan(8);
  expect(rooms.filter((room) => !ruled.includes(room))).toEqual([]);
  expect(rooms.filter((room) => !drawn.includes(room))).toEqual([]);
});
