import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { BlockSchema } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { surroundingsOf } from "../fixtures";
import { HOUR, prepare } from "./prepared";

const provider = createIamProvider({ processContext: surroundingsOf() });

const { resources = {}, ephemeralResources, dataSources } = provider;
const BLOCKS: readonly { readonly schema: BlockSchema }[] = [
  provider,
  ...[resources, ephemeralResources, dataSources].flatMap((each) =>
    Object.values<{ readonly schema: BlockSchema }>(each),
  ),
];

test("every attribute is described, has a type, and is one of required, optional and computed; only project_id is an argument and a result", () => {
  for (const { schema } of BLOCKS) {
    expect(schema.description).toMatch(/\.$/);
    const { project_id } = schema.attributes;
    for (const attribute of Object.values(schema.attributes)) {
      expect(attribute.description).toMatch(/^\S.*\.$/);
      expect(JSON.stringify(attribute.type)).toMatch(
        /^(?:"(?:string|number|bool)"|\["(?:list|set|map)","string"\])$/,
      );
      const { required, optional, computed } = attribute;
      expect([required, optional, computed].filter(Boolean)).toHaveLength(
        attribute === project_id ? 2 : 1,
      );
    }
  }
});

test("what a plan of a creation and of a rotation knows is what the description says", async () => {
  const results = (schema: BlockSchema) =>
    Object.entries(schema.attributes)
      .filter(([, { computed, optional }]) => computed && !optional)
      .map(([name]) => name);
  for (const [type, config] of [
    ["iam_token", { scope: "account" }],
    ["iam_rotation", { rotate_every: "12h" }],
  ] as const) {
    const { schema } = resources[type] ?? { schema: provider.schema };
    const { plan, create, clock } = prepare({
      type,
      ...(type === "iam_rotation" && { block: {} }),
    });
    const knownIn = ({ planned = {} }: { planned?: CtyObject }) =>
      results(schema).filter((name) => planned[name] !== UNKNOWN);
    const [, always = "", ofExisting] =
      /knows only (.*?),? and, of one that exists, (\w+)\b/.exec(schema.description) ?? [];
    const named = always.split(", ").toSorted();
    expect(knownIn(await plan(null, config)).toSorted()).toEqual(named);
    const { state, privateData } = await create(config);
    clock.now += 13 * HOUR;
    const due = await plan(state, config, privateData);
    expect(knownIn(due).toSorted()).toEqual([...named, ofExisting].toSorted());
  }
});

test("each optional argument of an object says what is so without it", () => {
  for (const { schema } of BLOCKS.slice(1)) {
    const silent = Object.entries(schema.attributes).filter(
      ([, { optional, description }]) => optional && !/[Bb]y default/.test(description),
    );
    const oneOf = /Give one of ([\w, ]+)\./.exec(schema.description)?.[1]?.split(/, | and /) ?? [];
    expect(silent.map(([name]) => name)).toEqual(oneOf);
  }
});

test("the state has a count of rotations", () => {
  const attributes = { id: { computed: true }, rotation: { computed: true } };
  for (const { schema } of Object.values(resources)) expect(schema).toMatchObject({ attributes });
});

test("the file of names imports nothing: constructs load it", () => {
  const names = readFileSync(join(__dirname, "../../../lib/provider/names.ts"), "utf8");
  expect(names).toContain("export const IAM_TOKEN");
  expect(names).not.toMatch(/\bimport\b|\brequire\b|\bfrom\b "/);
});
