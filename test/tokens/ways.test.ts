import { argumentsOf, isShared, PARTS, SECRET_ARGUMENTS, WAYS } from "../../lib/tokens/ways";

test("each way has an address, one secret and a part of its own", () => {
  for (const way of WAYS) {
    expect(way.parts.map(({ argument }) => argument)).toContain("auth_url");
    expect(way.parts.filter(({ argument }) => argument in SECRET_ARGUMENTS)).toHaveLength(1);
    expect(way.parts.some((part) => !isShared(part))).toBe(true);
  }
});

test("no setting gives two parts, and no type names two ways", () => {
  for (const names of [
    PARTS.flatMap((part) => argumentsOf(part)),
    PARTS.flatMap(({ variables }) => variables),
    PARTS.flatMap(({ keys }) => keys),
    PARTS.map(({ name }) => name),
  ])
    expect(new Set(names).size).toBe(names.length);
  const types = WAYS.flatMap(({ name, types: all }) => all.map((type) => `${type} ${name}`));
  expect(new Set(types.map((type) => type.split(" ")[0])).size).toBe(new Set(types).size);
});

test("only address and account are parts of every way", () => {
  expect(PARTS.filter(isShared).map(({ argument }) => argument)).toEqual([
    "auth_url",
    "account_id",
  ]);
});
