import type { CtyObject, CtyType } from "../../lib/plugin/cty/value";
import { UNKNOWN } from "../../lib/plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../lib/plugin/provider";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { brief, contextOf, FakeIdentity, sessionOf, surroundingsOf } from "./fixtures";

const identity = new FakeIdentity();
const provider = createIamProvider({ processContext: surroundingsOf(), identity });
const context = contextOf(sessionOf({}));
const HUGE = "x".repeat(5_000_000);
const PRIVATE = new Uint8Array(0);

/** All blocks of the provider, with what Terraform calls with their configuration. */
const BLOCKS: readonly (readonly [
  string,
  BlockSchema,
  Record<string, (config: CtyObject) => unknown>,
])[] = [
  [
    "provider",
    provider.schema,
    {
      validate: (config) => provider.validate?.(config),
      configure: (config) => provider.configure(config, context),
    },
  ],
  ...Object.entries(provider.ephemeralResources).map(
    ([name, block]) =>
      [
        `ephemeral ${name}`,
        block.schema,
        {
          validate: (config: CtyObject) => block.validate?.(config),
          open: (config: CtyObject) => block.open(config, context),
        },
      ] as const,
  ),
  ...Object.entries(provider.dataSources).map(
    ([name, block]) =>
      [
        `data ${name}`,
        block.schema,
        {
          validate: (config: CtyObject) => block.validate?.(config),
          read: (config: CtyObject) => block.read(config, context),
        },
      ] as const,
  ),
  ...Object.entries(provider.resources ?? {}).map(([name, block]) => {
    const none = Object.fromEntries(
      Object.keys(block.schema.attributes).map((attribute) => [attribute, null]),
    );
    return [
      `resource ${name}`,
      block.schema,
      {
        validate: (config: CtyObject) => block.validate?.(config),
        plan: (config: CtyObject) =>
          block.plan({ config, proposed: config, prior: null, private: PRIVATE }, context),
        create: (config: CtyObject) => block.create({ config, planned: config }, context),
        // With ignore_changes, the plan differs from the configuration.
        update: (planned: CtyObject) =>
          block.update({ config: none, planned, prior: none }, context),
      },
    ] as const;
  }),
];

/** Values of a type with one string that is too long, and what the error calls it. */
function tooLong(
  type: CtyType,
  name: string,
  size: number,
): readonly [string, CtyObject[string]][] {
  const long = HUGE.slice(0, size);
  if (type === "string") return [[name, long]];
  if (!Array.isArray(type)) return [];
  return type[0] === "map"
    ? [
        [`${name}["a"]`, { a: long }],
        [`A key of ${name}`, { [long]: "a" }],
      ]
    : [[`An element of ${name}`, ["https://a.test", UNKNOWN, long]]];
}

const CASES = BLOCKS.flatMap(([block, { attributes }, calls]) =>
  Object.entries(attributes)
    .filter(([, { computed }]) => computed !== true)
    .flatMap(([name, { type, isPath }]) =>
      [5_000_000, (isPath ? 4_096 : 8_192) + 1].flatMap((size) =>
        tooLong(type, name, size).map(([what, value]) => ({
          what: `${what} of ${size}`,
          begin: `${what} has ${size.toLocaleString("en-US")} characters.`,
          limit: isPath ? "at most 4,096 characters" : "at most 8,192 characters",
          block,
          calls,
          config: {
            ...Object.fromEntries(Object.keys(attributes).map((each) => [each, null])),
            [name]: value,
          } as CtyObject,
        })),
      ),
    ),
);

test.each(CASES)(
  "$what characters in $block is refused at once, in a short message",
  async (given) => {
    for (const call of Object.values(given.calls)) {
      const answer = (await call(given.config)) as { diagnostics?: Diagnostic[] } | Diagnostic[];
      const diagnostics = Array.isArray(answer) ? answer : (answer.diagnostics ?? []);
      // On no line: Terraform would print the line, or the variable's value.
      expect(brief(diagnostics)).toEqual(["ERR_TOO_LONG on no line"]);
      expect(diagnostics[0]?.detail).toContain(given.begin);
      expect(diagnostics[0]?.detail).toContain(given.limit);
      expect(Buffer.byteLength(JSON.stringify(diagnostics))).toBeLessThan(4_096);
    }
    expect(identity.requests).toEqual([]);
  },
);

test("every argument with the name of a file or a folder has a path's limit", () => {
  const paths = BLOCKS.flatMap(([block, { attributes }]) =>
    Object.entries(attributes).map(([name, { isPath }]) => ({
      block,
      name,
      isPath: isPath === true,
    })),
  ).filter(({ name, isPath }) => isPath || /file|folder|path/.test(name));
  expect(paths.length).toBeGreaterThan(6);
  expect(paths.filter(({ isPath }) => !isPath)).toEqual([]);
});

test("a token has at most 256 destinations", () => {
  const validate = (count: number) =>
    provider.ephemeralResources.iam_token?.validate?.({
      scope: "account",
      project_name: null,
      min_remaining: null,
      revoke_on_close: null,
      destinations: Array.from({ length: count }, (_, index) => `https://a.test/${index}`),
    });
  expect(brief(validate(256))).toEqual([]);
  expect(brief(validate(257))).toEqual(["ERR_TOO_LONG on no line"]);
});

test.each([
  { OS_AUTH_URL: `https://a.test${"/".repeat(120_000)}` },
  { OS_USERNAME: "u".repeat(120_000) },
  { OS_USER_DOMAIN_NAME: "1".repeat(120_000) },
  { OS_PROJECT_NAME: "p".repeat(120_000) },
  { OS_CACERT: "/c".repeat(60_000) },
  { OS_CLIENT_CONFIG_FILE: "/c".repeat(60_000), OS_CLOUD: "x" },
  { OS_CLOUD: "c".repeat(120_000) },
])(
  "a variable of the environment that is too long is refused in a short message: %#",
  async (more) => {
    const cloud = "OS_CLOUD" in more;
    const variables = {
      ...(cloud
        ? {}
        : {
            OS_AUTH_URL: "https://a.test",
            OS_USERNAME: "u",
            OS_PASSWORD: "p",
            OS_USER_DOMAIN_NAME: "1",
          }),
      ...more,
    };
    const own = createIamProvider({ processContext: surroundingsOf(variables), identity });
    const opened = await own.ephemeralResources.iam_token?.open(
      {
        scope: "project",
        project_name: null,
        min_remaining: null,
        destinations: null,
        revoke_on_close: null,
      },
      context,
    );
    expect(opened?.diagnostics).toHaveLength(1);
    expect(Buffer.byteLength(JSON.stringify(opened?.diagnostics))).toBeLessThan(4_096);
    expect(identity.requests).toEqual([]);
  },
);
