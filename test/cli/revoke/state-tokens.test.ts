import { tokensInState } from "../../../lib/cli/revoke/state-tokens";
import { IamTokensError } from "../../../lib/tokens";

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
const stateOf = (resources: unknown, outputs: object = {}) =>
  JSON.stringify({ version: 4, serial: 1, resources, outputs });
const found = (resources: unknown, outputs?: object) =>
  tokensInState("The file", stateOf(resources, outputs)).map(
    ({ places, isStatic, attributes }) =>
      `${isStatic ? "static " : ""}${attributes.token} in ${places.join(", ")}`,
  );

test("tokens of modules, instances, deposed objects and data sources are found, whatever the schema's version", () => {
  expect(
    found([
      resource([instance("a", { schema_version: 0 })]),
      resource([instance("b", { index_key: 0 }), instance("c", { index_key: 'x"y' })], {
        module: 'module.m["k"]',
      }),
      resource([instance("d"), instance("e", { deposed: "1a2b3c4d" })], { name: "two" }),
      resource([instance("f")], { mode: "data" }),
      resource([{ attributes: { token: "g" } }], { mode: "data", type: "iam_static_token" }),
    ]),
  ).toEqual([
    "a in iam_token.ci",
    'b in module.m["k"].iam_token.ci[0]',
    'c in module.m["k"].iam_token.ci["x\\"y"]',
    "d in iam_token.two",
    "e in iam_token.two (deposed object 1a2b3c4d)",
    "f in data.iam_token.ci",
    "static g in data.iam_static_token.ci",
  ]);
});

test("a token that is there several times is listed once, with all its places", () => {
  expect(
    found([resource([instance("a")]), resource([instance("a")], { name: "again" })], {
      ci_value: { value: "a" },
      other: { value: "a" },
    }),
  ).toEqual(["a in iam_token.ci, iam_token.again, output.ci_value, output.other"]);
});

test("TokenOutputs may hold a token that no object holds any more", () => {
  const outputs = (header: string) => ({
    ci_header_name: { value: header },
    ci_value: { value: "old" },
    ci_expires_at: { value: "2026-01-02T00:00:00Z" },
    plain_value: { value: "not a token" },
  });
  expect(found([resource([instance("new")])], outputs("X-Auth-Token"))).toEqual([
    "new in iam_token.ci",
    "old in output.ci_value",
  ]);
  expect(found([], outputs("X-Token"))).toEqual(["static old in output.ci_value"]);
});

test("an object of another provider is not ours, unless it has our kinds, as from a mirror", () => {
  const other = { provider: 'provider["registry.example.test/other/iam"]' };
  const foreign = { attributes: { token: "theirs", auth_url: AT } };
  expect(found([resource([foreign, instance("ours")], other)])).toEqual(["ours in iam_token.ci"]);
});

test("an object without a readable token is not left out", () => {
  expect(found([resource([{}, { attributes: { token: null } }])])).toEqual([
    "undefined in iam_token.ci",
    "null in iam_token.ci",
  ]);
});

test.each([
  ["", "is empty"],
  ["canary", "is not JSON"],
  ["[]", "is not JSON, or not an object"],
  ["[".repeat(200_000), "is not JSON"],
  ["{}", "is JSON, but not a Terraform state"],
  ['{"version":4}', "is JSON, but not a Terraform state"],
  ['{"version":3,"modules":[]}', "is of version 3 of Terraform's states"],
  ['{"format_version":"1.0","values":{}}', "is the output of show -json"],
  ['{"encrypted_data":"canary","meta":{}}', "is encrypted by OpenTofu"],
  ["PK\u0003\u0004canary", "is a ZIP archive, as a saved plan is"],
])("%p is refused: it %s", (text, why) => {
  const read = () => tokensInState("The file", text);
  expect(read).toThrow(IamTokensError);
  expect(read).toThrow(`The file ${why}`);
  expect(read).toThrow("[ERR_STATE_INVALID]");
  expect(read).not.toThrow("canary");
});

test.each<[unknown, object]>([
  [[null, 1, "x", [], {}], {}],
  [[resource(null), resource({}), resource([null, 7]), resource([{ attributes: [] }])], {}],
  [[], { a: null, b: 7, c_value: { value: { x: 1 } }, __proto__: { value: "x" } }],
])("nonsense in a state is no fault of the program", (resources, outputs) => {
  expect(() => found(resources, outputs)).not.toThrow();
});
