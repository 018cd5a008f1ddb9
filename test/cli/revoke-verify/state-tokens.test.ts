import fc from "fast-check";
import { tokensInState } from "../../../lib/cli/revoke-verify/state-tokens";
import { fingerprintOf, Secret } from "../../../lib/tokens";
import { fuzz } from "../../support/fuzz";

const OURS = 'provider["npm.invalid/cdktf-iam-tokens/iam"].identity';
const AT = "https://identity.example.test/identity/v3";
const iam = (token: string) => ({ token, auth_url: AT, kind: "iam_token_account_scoped" });
const resource = (instances: unknown, more: object = {}) => ({
  mode: "managed",
  type: "iam_token",
  name: "ci",
  provider: OURS,
  instances,
  ...more,
});
const instance = (token: string, more: object = {}) => ({ attributes: iam(token), ...more });
const found = (resources: unknown, outputs: object = {}) =>
  tokensInState(JSON.parse(JSON.stringify({ version: 4, serial: 1, resources, outputs }))).map(
    ({ places, isStatic, attributes }) =>
      `${isStatic === undefined ? "? " : ""}${isStatic ? "static " : ""}${attributes.token} in ${places.join(", ")}`,
  );
const FOREIGN = { provider: 'provider["registry.example.test/other/iam"]' };
const outputs = (header: string) => ({
  ci_header_name: { value: header },
  ci_value: { value: "old" },
  ci_expires_at: { value: "2026-01-02T00:00:00Z" },
  plain_value: { value: "not a token" },
});

test.each<[string, unknown, object, string[]]>([
  [
    "modules, instances, deposed objects and data sources",
    [
      resource([instance("a", { schema_version: 0 })]),
      resource([instance("b", { index_key: 0 }), instance("c", { index_key: 'x"y' })], {
        module: 'module.m["k"]',
      }),
      resource([instance("d"), instance("e", { deposed: "1a2b3c4d" })], { name: "two" }),
      resource([instance("f")], { mode: "data" }),
      resource([{ attributes: { token: "g", kind: "static_token" } }], {
        mode: "data",
        type: "iam_static_token",
      }),
    ],
    {},
    [
      "a in iam_token.ci",
      'b in module.m["k"].iam_token.ci',
      'c in module.m["k"].iam_token.ci',
      "d in iam_token.two",
      "e in iam_token.two",
      "f in data.iam_token.ci",
      "static g in data.iam_static_token.ci",
    ],
  ],
  [
    "a token that is there several times, once",
    [resource([instance("a")]), resource([instance("a")], { name: "again" })],
    { ...outputs("X-Auth-Token"), ci_value: { value: "a" }, other: { value: "a" } },
    ["a in iam_token.ci, iam_token.again"],
  ],
  [
    "an object of a mirror's provider, by its kind, and none of another provider",
    [resource([{ attributes: { token: "theirs", auth_url: AT } }, instance("ours")], FOREIGN)],
    {},
    ["ours in iam_token.ci"],
  ],
  [
    "an object without a usable token",
    [resource([{ attributes: { ...iam(""), token: null, keepers: { token: "k" } } }])],
    {},
    ["null in iam_token.ci"],
  ],
])("finds %s", (_, resources, outputs, tokens) => {
  expect(found(resources, outputs)).toEqual(tokens);
});

test.each<[what: string, unknown, object]>([
  ["no resources", [null, 1, "x", [], {}], {}],
  [
    "no instances",
    [resource(null), resource({}), resource([null, 7]), resource([{ attributes: [] }])],
    {},
  ],
  [
    "no names",
    [resource([{}], { provider: { toString: 1 } }), { instances: [1], type: {}, name: [] }],
    {},
  ],
  ["no outputs", [], { a: null, b: 7, c_value: { value: { x: 1 } }, __proto__: { value: "x" } }],
])("nonsense in a state is no fault of the program: %s", (_what, resources, outputs) => {
  expect(() => found(resources, outputs)).not.toThrow();
});

const whole = (token: string) => ({ token, fingerprint: fingerprintOf(Secret.of(token)) });
const FERNET = `gAAAAABp${"x".repeat(175)}`;
const JWS = (payload: string) => `eyJhbGciOiJFUzI1NiJ9.${payload}.${payload}`;

test.each<[string, unknown[], object, string[]]>([
  [
    "an IAM token whose kind was changed to a static one, by its fingerprint",
    [resource([{ attributes: { ...whole("a"), kind: "static_token" } }])],
    {},
    ["a in iam_token.ci"],
  ],
  [
    "an object by the name of its header",
    [],
    { o: { value: { token: "a", header_name: "X-Auth-Token" } } },
    ["a in output.o"],
  ],
  [
    "the value of a header, and the same in JSON in a string",
    [resource([{ attributes: { headers: { "x-auth-token": "a".repeat(30) } } }], { type: "x" })],
    { o: { value: `{"t":"${"a".repeat(30)}"}` } },
    [`? ${"a".repeat(30)} in x.ci`],
  ],
  [
    "the value of a header in JSON in a string",
    [],
    {
      p: {
        value: JSON.stringify({ headers: { "X-Auth-Token": "b" }, x: JSON.stringify(iam("c")) }),
      },
      q: { value: '{"X-Auth-Token": not JSON' },
    },
    ["c in output.p", "? b in output.p"],
  ],
  [
    "an older token in Keystone's form, also inside a string",
    [resource([{ attributes: { input: `X-Auth-Token: ${FERNET}` } }], { type: "terraform_data" })],
    { o: { value: { [FERNET]: 1 } }, id: { value: "0123456789abcdef0123456789abcdef" } },
    [`? ${FERNET} in terraform_data.ci, output.o`],
  ],
  ...[
    ["https://h.example/v1/", "/servers"],
    ["https://h.example/", ""],
    ["a.", ".b"],
    ["a+", "~b"],
    ["job-", " x"],
    ["ci_", ""],
    ["/tmp/tok_", ".json"],
    ["Bearer%20", "%0A"],
    ["\u001b[1m", "\u001b[0m"],
    ['export X=\'{\\"a\\":\\"', "\\\"}'"],
  ].map(([before, after]): [string, unknown[], object, string[]] => [
    `one in Keystone's form between ${before} and ${after}`,
    [resource([{ attributes: whole(JWS("new")) }])],
    { o: { value: `${before}${FERNET}==${after}` } },
    [`${JWS("new")} in iam_token.ci`, `? ${FERNET}== in output.o`],
  ]),
  [
    "a list of a header's values, and a name that cdktf has changed",
    [],
    { a: { value: { "X-Auth-Token": ["a"] } }, b: { value: { x_auth_token: "b" } } },
    ["? a in output.a", "? b in output.b"],
  ],
])("finds %s", (_, resources, outputs, tokens) => {
  expect(found(resources, outputs)).toEqual(tokens);
});

test("a token's object is found at any place of any state, once, with every further place of its value", () => {
  const names = ["instances", "attributes", "resources", "outputs", "value", "a", "__proto__", "0"];
  const steps = fc.array(fc.constantFrom(...names, undefined), { maxLength: 6 });
  // Into a list, or into a table with siblings.
  const wrapped = (value: unknown, steps: readonly (string | undefined)[]) =>
    steps.reduce<unknown>(
      (inner, name) =>
        name === undefined
          ? [null, "token", inner]
          : { instances: ["x"], value: {}, token: "", [name]: inner },
      value,
    );
  const noise = fc.constantFrom<unknown>(null, 1, "", "token", [], {});
  fc.assert(
    fc.property(steps, steps, fc.integer({ min: 0, max: 3 }), noise, (around, copy, at, kind) => {
      const token = FERNET;
      const inner = wrapped({ ...whole(token), kind, auth_url: AT }, around);
      const text = wrapped(`${kind} ${token} `, copy);
      const places = [
        { outputs: { o: { value: inner } } },
        { resources: [resource([{ attributes: inner }], FOREIGN)] },
        { resources: [resource([{ attributes: { a: 1 }, deposed: inner }])] },
        { resources: [inner], check_results: [] },
      ];
      const state = { version: 4, resources: [], more: text, ...places[at] };
      const tokens = tokensInState(JSON.parse(JSON.stringify(state)));
      expect(tokens.map(({ attributes, places }) => [attributes.token, places.length])).toEqual([
        [token, 2],
      ]);
    }),
    fuzz(500),
  );
});

// Copying a list at each mention would take many minutes.
test("20,000 mentions of a token, and 2,000 levels of nesting, are read once", () => {
  const { token, kind } = iam("a");
  const many = `[${JSON.stringify({ token, kind })}${`,${JSON.stringify({ token, kind })}`.repeat(19_999)}]`;
  const deep = `${'{"a":'.repeat(2_000)}${JSON.stringify(iam("b"))}${"}".repeat(2_000)}`;
  const tokens = tokensInState(JSON.parse(`{"version":4,"resources":[${many},${deep}]}`));
  expect(tokens.map(({ places }) => places.length)).toEqual([1, 1]);
});

test("4,000 keys that are tokens, or have one in them, take no longer for each", () => {
  const keys = Array.from({ length: 4_000 }, (_, index) => `user:${FERNET}${index}`);
  const map = Object.fromEntries(keys.map((key) => [key, whole(key.slice(5))]));
  const started = performance.now();
  const tokens = tokensInState({ resources: [], outputs: { o: { value: map } } });
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(tokens).toHaveLength(4_000);
});

test("a file that a state holds, of 4 MB, hides no token", () => {
  const file = "a".repeat(4_000_000);
  const state = { f: { value: file }, k: { value: { ...iam(file) } }, t: { value: iam("t") } };
  expect(found([], state).map((each) => each.slice(0, 20))).toEqual([
    expect.stringMatching(/^aaaa/),
    "t in output.t",
  ]);
});
