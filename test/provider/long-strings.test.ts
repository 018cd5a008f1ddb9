import { type CtyObject, type CtyType, type CtyValue, UNKNOWN } from "../../lib/plugin/cty/value";
import type { Diagnostic } from "../../lib/plugin/provider";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { brief, contextOf, FakeIdentity, sessionOf, surroundingsOf } from "./fixtures";

const identity = new FakeIdentity();
const provider = createIamProvider({ processContext: surroundingsOf(), identity });
const context = contextOf(sessionOf({}));
const PRIVATE = new Uint8Array(0);

type Call = (config: CtyObject) => unknown;

/** All blocks of the provider, with what Terraform calls with their configuration. */
const BLOCKS = [
  ["provider", provider, []] as const,
  ...Object.entries(provider.ephemeralResources).map(
    ([name, block]) => [name, block, [(config) => block.open(config, context)] as Call[]] as const,
  ),
  ...Object.entries(provider.dataSources).map(
    ([name, block]) => [name, block, [(config) => block.read(config, context)] as Call[]] as const,
  ),
  ...Object.entries(provider.resources ?? {}).map(([name, block]) => {
    const calls: Call[] = [
      (config) => block.plan({ config, proposed: config, prior: null, private: PRIVATE }, context),
      (planned) => block.create({ config: {}, planned }, context),
      // With ignore_changes, the plan differs from the configuration.
      (planned) => block.update({ config: {}, planned, prior: {} }, context),
    ];
    return [name, block, calls] as const;
  }),
];

/** Values of a type, with that string in each place. */
const valuesWith = (type: CtyType, text: string): readonly CtyValue[] => {
  if (!Array.isArray(type)) return type === "string" ? [text] : [];
  return type[0] === "map" ? [{ a: text }, { [text]: "a" }] : [["https://a.test", UNKNOWN, text]];
};

const CASES = BLOCKS.flatMap(([block, { schema, validate }, calls]) =>
  Object.entries(schema.attributes)
    .filter(([, { computed }]) => computed !== true)
    .flatMap(([name, { type }]) =>
      valuesWith(type, "x".repeat(8_193)).map((value) => ({
        ...{ block, name, calls: [...calls, (config: CtyObject) => validate?.(config)] },
        config: { [name]: value } as CtyObject,
      })),
    ),
);

test.each(CASES)(
  "8193 characters in $name of $block are refused before they are read",
  async ({ name, calls, config }) => {
    for (const call of calls) {
      const answer = (await call(config)) as { diagnostics?: Diagnostic[] } | Diagnostic[];
      const found = Array.isArray(answer) ? answer : (answer.diagnostics ?? []);
      // On no line: Terraform would print the line, or the variable's value.
      expect(brief(found)[0]).toBe("ERR_TOO_LONG on no line");
      expect(found[0]?.detail).toContain(
        `A string of ${name} has 8193 characters.\nAllowed: at most 8192 characters.`,
      );
    }
    expect(identity.requests).toEqual([]);
  },
);

test("8192 characters are not too long", () => {
  const keepers = { a: "x".repeat(8_192) };
  const given = provider.resources?.iam_rotation?.validate?.({ rotate_every: "1h", keepers });
  expect(given).toEqual([]);
});

test.each([
  { OS_AUTH_URL: `http://a.test${"/".repeat(120_000)}` },
  { OS_USERNAME: "u".repeat(120_000) },
  { OS_PROJECT_NAME: "p".repeat(120_000) },
  { OS_CLIENT_CONFIG_FILE: "/c".repeat(60_000), OS_CLOUD: "x" },
  { OS_CLOUD: "c".repeat(120_000) },
])("a long variable of the environment is refused in a short message: %#", async (more) => {
  const service = {
    ...{ OS_AUTH_URL: "https://a.test", OS_USERNAME: "u" },
    ...{ OS_PASSWORD: "p", OS_USER_DOMAIN_NAME: "1" },
  };
  const variables = "OS_CLOUD" in more ? more : { ...service, ...more };
  const own = createIamProvider({ processContext: surroundingsOf(variables), identity });
  const opened = await own.ephemeralResources.iam_token?.open({ scope: "project" }, context);
  expect(opened?.diagnostics).toHaveLength(1);
  expect(JSON.stringify(opened?.diagnostics).length).toBeLessThan(4_096);
  expect(identity.requests).toEqual([]);
});
