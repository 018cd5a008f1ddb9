import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { packageRoot } from "../support/project";

/** A room, floor or file of lib, and what it may import. */
type Arrows = Readonly<Record<string, readonly string[]>>;

/** As ARCHITECTURE.md has it: the names in backquotes in the last column of "The map". */
const map: Arrows = Object.fromEntries(
  [
    ...readFileSync(join(packageRoot, "ARCHITECTURE.md"), "utf8").matchAll(
      /^\| `lib\/([\w/.-]+?)\/?` \|.*\|([^|]*)\|$/gm,
    ),
  ].map(([, name = "", allowed = ""]) => [
    name,
    [...allowed.matchAll(/`([^`]+)`/g)]
      .map(([, each = ""]) => each)
      .filter(isInLib)
      .sort(),
  ]),
);

/** As .dependency-cruiser.cjs has it: a rule says in its comment what it lets through. */
const rules: Arrows = Object.fromEntries(
  (
    require(join(packageRoot, ".dependency-cruiser.cjs")) as {
      readonly forbidden: readonly { readonly name: string; readonly comment?: string }[];
    }
  ).forbidden
    .filter(({ name }) => name.endsWith("-imports"))
    .map(({ name, comment = "" }) => [
      name.replace(/-imports$/, ""),
      comment.replace("may import: ", "").split(", ").filter(Boolean).sort(),
    ]),
);

/** Each file of lib, with the files and folders of lib that it imports. */
const imports = new Map(
  readdirSync(join(packageRoot, "lib"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const file = join(packageRoot, "lib", path);
      const text = readFileSync(file, "utf8");
      const named = [...text.matchAll(/(?:\bfrom|\bimport|\b(?:import|require)\()\s*"(\.[^"]*)"/g)];
      return [inLib(file), named.map(([, to = ""]) => inLib(resolve(dirname(file), to)))];
    }),
);

function inLib(path: string): string {
  return relative(join(packageRoot, "lib"), path).split(sep).join("/");
}

/** A path that the map may name: `transport/` and the like are parts of the row's own room. */
function isInLib(name: string): boolean {
  return !name.endsWith("/");
}

/** Whether an imported path, which has no extension, lies at or under one of the table. */
function covers(name: string, path: string): boolean {
  return path === name.replace(/\.ts$/, "") || path === name || path.startsWith(`${name}/`);
}

test("the map of ARCHITECTURE.md is the table of the layers check", () => {
  expect(Object.keys(rules).length).toBeGreaterThan(8);
  const described = Object.fromEntries(
    Object.entries(map).filter(([name]) => !/^build/.test(name)),
  );
  expect(described).toEqual(rules);
});

test("each room of lib is in the map", () => {
  const rooms = [...imports.keys()].map((path) => path.split("/")[0]);
  expect(rooms.filter((room) => !Object.keys(map).some((name) => name === room))).toEqual([]);
});

test.each(Object.entries(rules))("%s uses every import that it may have", (name, allowed) => {
  const apart = Object.keys(rules).filter((each) => each.startsWith(`${name}/`));
  const used = [...imports]
    .filter(([file]) => covers(name, file) && !apart.some((each) => covers(each, file)))
    .flatMap(([, paths]) => paths);
  expect(allowed.filter((each) => !used.some((path) => covers(each, path)))).toEqual([]);
});
