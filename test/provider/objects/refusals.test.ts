import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Diagnosed, Diagnostic } from "../../../lib/plugin/provider";
import { BLOCK, brief, CANARY, textOf, VARIABLES } from "../fixtures";
import { providerWith, type Setting } from "./prepared";

/** The objects, each with arguments that are right. */
const RIGHT = {
  "ephemeral iam_token": { scope: "account" },
  "data iam_token": { scope: "account" },
  "resource iam_token": { scope: "account" },
  "ephemeral iam_static_token": { env: "STATIC_TOKEN" },
  "data iam_static_token": { env: "STATIC_TOKEN", accept_in_state: true },
  "resource iam_rotation": { rotate_every: "12h" },
} as const satisfies Record<string, CtyObject>;
type Name = keyof typeof RIGHT;

const EACH = Object.keys(RIGHT) as readonly Name[];
const SCOPED = EACH.filter((name) => name.endsWith("iam_token"));
const STATIC = EACH.filter((name) => name.endsWith("static_token"));
const TOKENS = [...SCOPED, ...STATIC];
const ROTATING = ["resource iam_token"] as const;
const ROTATION = ["resource iam_rotation"] as const;

/** An object of the provider, whichever kind it is of. */
const objectOf = (name: Name, { variables, ...setting }: Setting = {}) => {
  const { provider, identity, context } = providerWith({
    variables: { STATIC_TOKEN: CANARY.static, ...variables },
    ...setting,
  });
  const [kind, type = ""] = name.split(" ");
  const object =
    provider[
      kind === "data" ? "dataSources" : kind === "ephemeral" ? "ephemeralResources" : "resources"
    ]?.[type];
  if (object === undefined) throw new Error(`no ${name}`);
  const given = (more: CtyObject): CtyObject => ({ ...RIGHT[name], ...more });
  /** All that gives the object's result. */
  const results = async (config: CtyObject): Promise<readonly Diagnosed[]> => {
    if ("open" in object) return [await object.open(config, context)];
    if (!("create" in object)) return [await object.read(config, context)];
    const change = { prior: null, config, private: Buffer.of() };
    return [
      await object.plan(change, context),
      await object.create({ ...change, planned: config }, context),
    ];
  };
  return {
    identity,
    given,
    results,
    validate: (config: CtyObject) => object.validate?.(config, true),
  };
};

/** What a result gives, besides diagnostics. */
const gained = (result: Diagnosed) => Object.keys(result).filter((name) => name !== "diagnostics");

/** What is refused, in a message that does not grow with it. */
const said = (diagnostics: readonly Diagnostic[] | undefined) => {
  expect(textOf(diagnostics)).not.toMatch(/canary|[^\n\P{Cc}]/u);
  expect(textOf(diagnostics).length).toBeLessThan(4_096);
  for (const { path = [], detail } of diagnostics ?? []) expect(detail).toContain(path[0] ?? "");
  return brief(diagnostics);
};

/** One character more than a string of a block may have. */
const LONG = "x".repeat(8_193);
const addresses = (count: number, stem = "https://a.test") =>
  Array.from({ length: count }, (_, index) => `${stem}/${index}`);
/** For a title. */
const short = (given: object) => JSON.stringify(given).slice(0, 200);

const REFUSALS: readonly (readonly [names: readonly Name[], given: CtyObject, says: string[]])[] = [
  [SCOPED, { scope: "domain" }, ["ERR_SCOPE_INVALID at scope"]],
  // Commands for a terminal that JSON does not escape.
  [SCOPED, { scope: "\u009b2J\u007f" }, ["ERR_SCOPE_INVALID at scope"]],
  [SCOPED, { scope: null }, ["ERR_SCOPE_INVALID at scope"]],
  [SCOPED, { project_name: "web" }, ["ERR_SCOPE_INVALID at project_name"]],
  [SCOPED, { scope: "project", project_name: "" }, ["ERR_NAME_INVALID at project_name"]],
  [SCOPED, { min_remaining: "2 hours" }, ["ERR_DURATION_INVALID at min_remaining"]],
  [SCOPED, { min_remaining: "24h" }, ["ERR_LIFETIME_TOO_SHORT at min_remaining"]],
  [TOKENS, { destinations: ["x.test"] }, ["ERR_ADDRESS_INVALID at destinations"]],
  [TOKENS, { destinations: [null] }, ["ERR_ADDRESS_INVALID at destinations"]],
  [TOKENS, { destinations: ["https://u:canary@x.test"] }, ["ERR_ADDRESS_INVALID on no line"]],
  [
    SCOPED,
    { scope: "x", min_remaining: "y", destinations: ["z", "https://x.test", ""] },
    [
      "ERR_SCOPE_INVALID at scope",
      "ERR_DURATION_INVALID at min_remaining",
      "ERR_ADDRESS_INVALID at destinations",
      "ERR_ADDRESS_INVALID at destinations",
    ],
  ],
  [STATIC, { env: null }, ["ERR_STATIC_SOURCE_INVALID"]],
  [STATIC, { file: "token" }, ["ERR_STATIC_SOURCE_INVALID at file"]],
  [STATIC, { value: "canary" }, ["ERR_STATIC_SOURCE_INVALID at env"]],
  [STATIC, { env: "canary!" }, ["ERR_SECRET_MISSING on no line"]],
  [
    STATIC,
    { env: "canary!", value: "canary" },
    ["ERR_STATIC_SOURCE_INVALID on no line", "ERR_SECRET_MISSING on no line"],
  ],
  [STATIC, { env: null, file: "" }, ["ERR_SECRET_UNREADABLE at file"]],
  [STATIC, { env: null, value: "" }, ["ERR_SECRET_EMPTY on no line"]],
  [STATIC, { env: null, value: "canary\n" }, ["ERR_SECRET_UNUSABLE on no line"]],
  [
    STATIC,
    { base_url: "http://a.test", destinations: ["https://a.test"] },
    ["ERR_ADDRESS_INVALID at base_url"],
  ],
  [STATIC, { base_url: "https://u:canary@a.test" }, ["ERR_ADDRESS_INVALID on no line"]],
  [
    STATIC,
    { base_url: "https://a.test", destinations: ["https://evil.test", "https://a.test/x"] },
    ["ERR_DESTINATION_REFUSED at destinations"],
  ],
  [ROTATING, { rotate_when_remaining: "24h" }, ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"]],
  [ROTATING, { rotate_when_remaining: "-1h" }, ["ERR_DURATION_INVALID at rotate_when_remaining"]],
  [ROTATION, { rotate_every: "0s" }, ["ERR_DURATION_INVALID at rotate_every"]],
  [ROTATION, { rotate_every: "often" }, ["ERR_DURATION_INVALID at rotate_every"]],
  // On no line: Terraform would print the line, or the variable's value.
  [SCOPED, { project_name: LONG }, ["ERR_TOO_LONG on no line"]],
  [TOKENS, { destinations: ["https://a.test", LONG] }, ["ERR_TOO_LONG on no line"]],
  [TOKENS, { destinations: addresses(257) }, ["ERR_TOO_LONG on no line"]],
  [SCOPED, { after: addresses(257) }, ["ERR_TOO_LONG on no line"]],
  // A message for each could take megabytes.
  [
    TOKENS,
    { destinations: addresses(256, "not an address") },
    [
      ...Array<string>(10).fill("ERR_ADDRESS_INVALID at destinations"),
      "This block has 246 more mistakes on no line",
    ],
  ],
  [STATIC, { env: LONG }, ["ERR_TOO_LONG on no line"]],
  [[...ROTATING, ...ROTATION], { keepers: { a: LONG } }, ["ERR_TOO_LONG on no line"]],
  [[...ROTATING, ...ROTATION], { keepers: { [LONG]: "a" } }, ["ERR_TOO_LONG on no line"]],
];
const ROWS = REFUSALS.flatMap(([names, given, says]) =>
  names.map((name) => [name, short(given), given, says] as const),
);

test.each(ROWS)("%s refuses %s, wherever it is looked at, with no request", async (...row) => {
  const [name, , more, says] = row;
  const { given, validate, results, identity } = objectOf(name);
  const config = given(more);
  expect(said(validate(config))).toEqual(says);
  for (const result of await results(config)) {
    expect(said(result.diagnostics)).toEqual(says);
    expect(gained(result)).toEqual([]);
  }
  expect(identity.clients).toBe(0);
  // What is not known yet is no mistake.
  const open: CtyObject = Object.fromEntries(Object.keys(more).map((each) => [each, UNKNOWN]));
  expect(validate({ ...config, ...open })).toEqual([]);
});

test.each(EACH)("%s with right arguments gives what it is asked for", async (name) => {
  const { given, validate, results } = objectOf(name);
  expect(validate(given({}))).toEqual([]);
  for (const result of await results(given({}))) {
    expect(result.diagnostics ?? []).toEqual([]);
    expect(gained(result)).not.toEqual([]);
  }
});

test("a string of 8,192 characters is not too long, and a longer one is named", () => {
  const { given, validate } = objectOf("resource iam_rotation");
  expect(validate(given({ keepers: { a: LONG.slice(1) } }))).toEqual([]);
  expect(textOf(validate(given({ keepers: { a: LONG } })) ?? [])).toContain(
    "A string of keepers has 8193 characters.\nAllowed: at most 8192 characters.",
  );
});

test("a part that is known is judged although another is not", () => {
  const { given, validate } = objectOf("ephemeral iam_token");
  expect(said(validate(given({ scope: UNKNOWN, project_name: "" })))).toEqual([
    "ERR_NAME_INVALID at project_name",
  ]);
  const other = objectOf("data iam_static_token");
  const restricted: CtyObject = {
    base_url: "https://a.test",
    destinations: [UNKNOWN, "https://evil.test"],
  };
  expect(said(other.validate(other.given(restricted)))).toEqual([
    "ERR_DESTINATION_REFUSED at destinations",
  ]);
  expect(said(other.validate(other.given({ file: "b", value: UNKNOWN })))).toEqual([
    "ERR_STATIC_SOURCE_INVALID at file",
  ]);
});

const SERVICE = { auth_url: BLOCK.auth_url };
const byVariables = (more: Record<string, string>): Setting => ({
  block: {},
  variables: { ...VARIABLES, ...more },
});
const HUGE = "/x".repeat(60_000);
const ELSEWHERE = { destinations: ["https://a.test/v1/x", "https://a.test/v10"] };
const OUTSIDE: readonly (readonly [Name[], CtyObject, Setting, string])[] = [
  [SCOPED, {}, { block: { auth_url: UNKNOWN } }, "ERR_CREDENTIALS_UNKNOWN"],
  [SCOPED, {}, { block: {} }, "ERR_CREDENTIALS_MISSING"],
  [SCOPED, {}, { block: SERVICE, variables: VARIABLES }, "ERR_CREDENTIALS_MIXED"],
  [SCOPED, {}, { block: {}, variables: { OS_CLOUD: "x" } }, "ERR_CLOUD_NOT_FOUND"],
  [
    SCOPED,
    {},
    { variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://b.test" } },
    "ERR_ADDRESS_NOT_ALLOWED",
  ],
  [SCOPED, {}, { block: { ...BLOCK, password: null, password_env: "NONE" } }, "ERR_SECRET_MISSING"],
  [SCOPED, { scope: "project" }, {}, "ERR_SCOPE_INVALID at project_name"],
  // It belongs to one project.
  [
    SCOPED,
    {},
    { block: { ...SERVICE, application_credential_id: "a", application_credential_secret: "b" } },
    "ERR_SCOPE_INVALID at scope",
  ],
  [SCOPED, { scope: "project" }, byVariables({ OS_PROJECT_NAME: " web" }), "ERR_NAME_INVALID"],
  // Longer than any string of a block.
  [SCOPED, { scope: "project" }, byVariables({ OS_PROJECT_NAME: HUGE }), "ERR_NAME_INVALID"],
  [SCOPED, {}, byVariables({ OS_AUTH_URL: `http://a.test${HUGE}` }), "ERR_ADDRESS_INVALID"],
  [SCOPED, {}, byVariables({ OS_USERNAME: HUGE }), "ERR_NAME_INVALID"],
  [SCOPED, {}, { block: {}, variables: { OS_CLOUD: HUGE } }, "ERR_CLOUD_NOT_FOUND"],
  [
    SCOPED,
    {},
    { block: {}, variables: { OS_CLOUD: "x", OS_CLIENT_CONFIG_FILE: HUGE } },
    "ERR_CLOUDS_FILE_INVALID",
  ],
  [
    SCOPED,
    ELSEWHERE,
    { block: { ...BLOCK, base_url: "https://a.test/v1" } },
    "ERR_DESTINATION_REFUSED at destinations",
  ],
  [
    SCOPED,
    ELSEWHERE,
    { block: { base_url: "https://a.test/v1" }, variables: VARIABLES },
    "ERR_DESTINATION_REFUSED at destinations",
  ],
  [SCOPED, ELSEWHERE, { block: { ...BLOCK, base_url: UNKNOWN } }, "ERR_CREDENTIALS_UNKNOWN"],
  [STATIC, { env: "NONE" }, {}, "ERR_SECRET_MISSING at env"],
  [STATIC, {}, { variables: { STATIC_TOKEN: "" } }, "ERR_SECRET_EMPTY at env"],
  [
    STATIC,
    {},
    { variables: { STATIC_TOKEN: "canary\r\nX-Evil: 1" } },
    "ERR_SECRET_UNUSABLE at env",
  ],
  [STATIC, {}, { variables: { STATIC_TOKEN: " canary" } }, "ERR_SECRET_UNUSABLE at env"],
  [STATIC, { env: null, file: "none" }, {}, "ERR_SECRET_MISSING at file"],
  [STATIC, { env: null, file: "." }, {}, "ERR_SECRET_UNREADABLE at file"],
];

test.each(
  OUTSIDE.flatMap(([names, given, setup, says]) =>
    names.map((name) => [name, short({ ...given, ...setup }), given, setup, says] as const),
  ),
)("%s is right, but not with %s: no token, and no request", async (...row) => {
  const [name, , more, setup, says] = row;
  const { given, validate, results, identity } = objectOf(name, setup);
  const config = given(more);
  expect(validate(config)).toEqual([]);
  const result = (await results(config)).at(-1) ?? {};
  expect(said(result.diagnostics)).toEqual([says]);
  expect(gained(result)).toEqual([]);
  expect(identity.clients).toBe(0);
});
