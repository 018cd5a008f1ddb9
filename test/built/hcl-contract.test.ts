import type { BlockSchema } from "../../lib/plugin/provider";
import { createIamProvider } from "../../lib/provider/iam-provider";

const USES = ["required", "optional", "computed", "sensitive", "writeOnly"] as const;

/** Each argument and attribute as one line: its type, and how it may be used. */
const linesOf = ({ attributes }: BlockSchema) =>
  Object.entries(attributes).map(([name, attribute]) =>
    [name, JSON.stringify(attribute.type), ...USES.filter((use) => attribute[use])].join(" "),
  );

/**
 * What configurations in HCL rely on (docs/compatibility.md): a diff of this snapshot that takes a
 * line away, or adds `required`, breaks them.
 */
test("blocks, arguments and attributes in HCL", () => {
  const { schema, resources, dataSources, ephemeralResources } = createIamProvider({
    processContext: { variables: {}, workingFolder: "/", attached: false },
  });
  const kinds = { resource: resources, data: dataSources, ephemeral: ephemeralResources };
  const blocks = Object.entries(kinds).flatMap(([kind, objects = {}]) =>
    Object.entries(objects).map(([name, object]) => [
      `${kind} "${name}"`,
      linesOf((object as { readonly schema: BlockSchema }).schema),
    ]),
  );
  expect(Object.fromEntries([["provider", linesOf(schema)], ...blocks])).toMatchSnapshot();
});
