import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  argumentsOf,
  hasOwnProject,
  PARTS,
  type Part,
  PROJECT,
  SECRET_ARGUMENTS,
  variableOfKey,
  WAYS,
} from "../../lib/tokens/ways";

test("each way has an address and one secret", () => {
  for (const way of WAYS) {
    expect(way.parts.map(({ argument }) => argument)).toContain("auth_url");
    expect(way.parts.filter(({ argument }) => argument in SECRET_ARGUMENTS)).toHaveLength(1);
  }
});

test("no setting is the first of two parts, and no type names two ways", () => {
  for (const names of [
    PARTS.flatMap((part) => argumentsOf(part)),
    PARTS.map(({ keys: [first] }) => first),
    PARTS.map(({ name }) => name),
  ])
    expect(new Set(names).size).toBe(names.length);
  const types = WAYS.flatMap(({ name, types: all }) => all.map((type) => `${type} ${name}`));
  expect(new Set(types.map((type) => type.split(" ")[0])).size).toBe(new Set(types).size);
});

test("only an application credential has a project of its own", () => {
  expect(WAYS.map(({ name }) => [name, hasOwnProject(name)])).toEqual(
    WAYS.map(({ name }) => [name, name === "application credential"]),
  );
});

test("docs/api/ways.md has the names of each way and part, in this order", () => {
  const page = readFileSync(join(__dirname, "..", "..", "docs", "api", "ways.md"), "utf8");
  const table = page.slice(page.indexOf("**With"));
  const codes = [...table.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
  const namesOf = (part: Part) => [
    ...(part.property === null ? [] : [part.property]),
    ...argumentsOf(part),
    ...part.keys.map(variableOfKey),
  ];
  const isCommon = (part: Part) =>
    WAYS.every(({ parts }) =>
      parts.some(
        ({ argument, property }) => argument === part.argument && property === part.property,
      ),
    );
  const own = WAYS.flatMap(({ types, parts }) => [
    ...types,
    ...parts.filter((part) => !isCommon(part)).flatMap(namesOf),
  ]);
  const common = WAYS[0].parts.filter(isCommon);
  expect(codes.slice(-own.length)).toEqual(own);
  expect(codes.slice(0, -own.length)).toEqual([
    ...common.flatMap(namesOf),
    ...["TokenScope.project", "project_name", ...PROJECT.name.keys.map(variableOfKey)],
    ...["TokenScope.projectById", "project_id", ...PROJECT.id.keys.map(variableOfKey)],
  ]);
  const rows = [...table.matchAll(/^\| (?!part|-)(.*?)( \(optional\))? \| /gm)];
  const isOptional = ({ name, optional }: Part) => [name, optional?.(() => false) === true];
  expect(rows.map(([, name, optional]) => [name, optional !== undefined])).toEqual([
    ...common.map(isOptional),
    ["the token's project", false],
    ["its id", false],
    ...WAYS.flatMap(({ parts }) => parts.filter((part) => !isCommon(part)).map(isOptional)),
  ]);
});
