import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BlockSchema } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { surroundingsOf } from "../fixtures";

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

test("the state has a version of its layout from the start, and a count of rotations", () => {
  const attributes = { id: { computed: true }, rotation: { computed: true } };
  for (const { schema } of Object.values(resources))
    expect(schema).toMatchObject({ version: 1, attributes });
});

test("the file of names imports nothing: constructs load it", () => {
  const names = readFileSync(join(__dirname, "../../../lib/provider/names.ts"), "utf8");
  expect(names).toContain("export const IAM_TOKEN");
  expect(names).not.toMatch(/\bimport\b|\brequire\b|\bfrom\b "/);
});
