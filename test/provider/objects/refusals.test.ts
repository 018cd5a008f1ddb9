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
  for (const { path = [], summary, detail } of diagnostics ?? [])
    expect(summary + detail).toContain(path[0] ?? "");
  return brief(diagnostics);
};

/** One character more than a string of a block may have. */
const LONG = "x".repeat(8_193);
const addresses = (count: number, stem = "https://a.test") =>
  Array.from({ length: count }, (_, index) => `${stem}/${index}`);
/** What is refused, in each place that judges it. */
const REFUSALS: Readonly<Record<string, readonly (readonly [readonly Name[], CtyObject])[]>> = {
  "ERR_SCOPE_INVALID at scope": [
    [SCOPED, { scope: "domain" }],
    // Commands for a terminal that JSON does not escape.
    [SCOPED, { scope: "\u009b2J\u007f" }],
    [SCOPED, { scope: null }],
  ],
  "ERR_SCOPE_INVALID at project_name": [[SCOPED, { project_name: "web" }]],
  "ERR_NAME_INVALID at project_name": [[SCOPED, { scope: "project", project_name: "" }]],
  "ERR_DURATION_INVALID at min_remaining": [[SCOPED, { min_remaining: "2 hours" }]],
  "ERR_LIFETIME_TOO_SHORT at min_remaining": [[SCOPED, { min_remaining: "24h" }]],
  "ERR_ADDRESS_INVALID at destinations": [
    [TOKENS, { destinations: ["x.test"] }],
    [TOKENS, { destinations: [null] }],
  ],
  "ERR_ADDRESS_INVALID on no line": [
    [TOKENS, { destinations: ["https://u:canary@x.test"] }],
    [STATIC, { base_url: "https://u:canary@a.test" }],
  ],
  "ERR_SCOPE_INVALID at scope, ERR_DURATION_INVALID at min_remaining, ERR_ADDRESS_INVALID at destinations":
    [[SCOPED, { scope: "x", min_remaining: "y", destinations: ["z", "https://x.test"] }]],
  "ERR_STATIC_SOURCE_INVALID on no line": [
    [STATIC, { env: null }],
    [STATIC, { file: "token" }],
    [STATIC, { value: "canary" }],
  ],
  "ERR_SECRET_MISSING on no line": [[STATIC, { env: "canary!" }]],
  "ERR_STATIC_SOURCE_INVALID on no line, ERR_SECRET_MISSING on no line": [
    [STATIC, { env: "canary!", value: "canary" }],
  ],
  "ERR_SECRET_UNREADABLE at file": [[STATIC, { env: null, file: "" }]],
  "ERR_SECRET_EMPTY on no line": [[STATIC, { env: null, value: "" }]],
  "ERR_SECRET_UNUSABLE on no line": [[STATIC, { env: null, value: "canary\n" }]],
  "ERR_ADDRESS_INVALID at base_url": [
    [STATIC, { base_url: "http://a.test", destinations: ["https://a.test"] }],
  ],
  "ERR_DESTINATION_REFUSED at destinations": [
    [
      STATIC,
      { base_url: "https://a.test", destinations: ["https://evil.test", "https://a.test/x"] },
    ],
  ],
  "ERR_ROTATION_THRESHOLD at rotate_when_remaining": [[ROTATING, { rotate_when_remaining: "24h" }]],
  "ERR_DURATION_INVALID at rotate_when_remaining": [[ROTATING, { rotate_when_remaining: "-1h" }]],
  "ERR_DURATION_INVALID at rotate_every": [
    [ROTATION, { rotate_every: "0s" }],
    [ROTATION, { rotate_every: "often" }],
  ],
  // On no line: Terraform would print the line, or the variable's value.
  "ERR_TOO_LONG on no line": [
    [SCOPED, { project_name: LONG }],
    [TOKENS, { destinations: ["https://a.test", LONG] }],
    [TOKENS, { destinations: addresses(257) }],
    [SCOPED, { after: addresses(257) }],
    [STATIC, { env: LONG }],
    [[...ROTATING, ...ROTATION], { keepers: { a: LONG } }],
    [[...ROTATING, ...ROTATION], { keepers: { [LONG]: "a" } }],
  ],
};

/** Refused wherever an object is looked at, with no request. */
async function expectRefused(name: Name, more: CtyObject, says: readonly string[]) {
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
}

test.each(Object.entries(REFUSALS))("%s, wherever it is looked at", async (says, rows) => {
  for (const [names, given] of rows)
    for (const name of names) await expectRefused(name, given, says.split(", "));
});

test("of hundreds of mistakes, which could take megabytes, ten are named", async () => {
  const says = Array<string>(10).fill("ERR_ADDRESS_INVALID at destinations");
  for (const name of TOKENS)
    await expectRefused(name, { destinations: addresses(256, "not an address") }, says);
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
    "A string of keepers has 8193 characters [ERR_TOO_LONG]\nAllowed: at most 8192 characters.",
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
    "ERR_STATIC_SOURCE_INVALID on no line",
  ]);
});

const SERVICE = { auth_url: BLOCK.auth_url };
const byVariables = (more: Record<string, string>): Setting => ({
  block: {},
  variables: { ...VARIABLES, ...more },
});
const HUGE = "/x".repeat(60_000);
const ELSEWHERE = { destinations: ["https://a.test/v1/x", "https://a.test/v10"] };
/** What is right by itself, and not in its surroundings. */
const OUTSIDE: Readonly<
  Record<string, readonly (readonly [readonly Name[], CtyObject, Setting])[]>
> = {
  ERR_CREDENTIALS_UNKNOWN: [
    [SCOPED, {}, { block: { auth_url: UNKNOWN } }],
    [SCOPED, ELSEWHERE, { block: { ...BLOCK, base_url: UNKNOWN } }],
  ],
  ERR_CREDENTIALS_MISSING: [[SCOPED, {}, { block: {} }]],
  ERR_CREDENTIALS_MIXED: [[SCOPED, {}, { block: SERVICE, variables: VARIABLES }]],
  ERR_CLOUD_NOT_FOUND: [
    [SCOPED, {}, { block: {}, variables: { OS_CLOUD: "x" } }],
    [SCOPED, {}, { block: {}, variables: { OS_CLOUD: HUGE } }],
  ],
  ERR_ADDRESS_NOT_ALLOWED: [
    [SCOPED, {}, { variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://b.test" } }],
  ],
  ERR_SECRET_MISSING: [[SCOPED, {}, { block: { ...BLOCK, password: null, password_env: "NONE" } }]],
  "ERR_SCOPE_INVALID at project_name": [[SCOPED, { scope: "project" }, {}]],
  // It belongs to one project.
  "ERR_SCOPE_INVALID at scope": [
    [
      SCOPED,
      {},
      { block: { ...SERVICE, application_credential_id: "a", application_credential_secret: "b" } },
    ],
  ],
  // Some are longer than any string of a block.
  ERR_NAME_INVALID: [
    [SCOPED, { scope: "project" }, byVariables({ OS_PROJECT_NAME: " web" })],
    [SCOPED, { scope: "project" }, byVariables({ OS_PROJECT_NAME: HUGE })],
    [SCOPED, {}, byVariables({ OS_USERNAME: HUGE })],
  ],
  ERR_ADDRESS_INVALID: [[SCOPED, {}, byVariables({ OS_AUTH_URL: `http://a.test${HUGE}` })]],
  ERR_CLOUDS_FILE_INVALID: [
    [SCOPED, {}, { block: {}, variables: { OS_CLOUD: "x", OS_CLIENT_CONFIG_FILE: HUGE } }],
  ],
  "ERR_DESTINATION_REFUSED at destinations": [
    [SCOPED, ELSEWHERE, { block: { ...BLOCK, base_url: "https://a.test/v1" } }],
    [SCOPED, ELSEWHERE, { block: { base_url: "https://a.test/v1" }, variables: VARIABLES }],
  ],
  "ERR_SECRET_MISSING on no line": [
    [STATIC, { env: "NONE" }, {}],
    [STATIC, { env: null, file: "none" }, {}],
  ],
  "ERR_SECRET_EMPTY on no line": [[STATIC, {}, { variables: { STATIC_TOKEN: "" } }]],
  "ERR_SECRET_UNUSABLE on no line": [
    [STATIC, {}, { variables: { STATIC_TOKEN: "canary\r\nX-Evil: 1" } }],
    [STATIC, {}, { variables: { STATIC_TOKEN: " canary" } }],
  ],
  "ERR_SECRET_UNREADABLE on no line": [[STATIC, { env: null, file: "." }, {}]],
};

test.each(Object.entries(OUTSIDE))(
  "%s by the surroundings of a block that is right: no token, and no request",
  async (says, rows) => {
    for (const [names, more, setup] of rows)
      for (const name of names) {
        const { given, validate, results, identity } = objectOf(name, setup);
        const config = given(more);
        expect(validate(config)).toEqual([]);
        const result = (await results(config)).at(-1) ?? {};
        expect(said(result.diagnostics)).toEqual([says]);
        expect(gained(result)).toEqual([]);
        expect(identity.clients).toBe(0);
      }
  },
);
