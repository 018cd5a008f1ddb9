import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { AttributeSchema } from "../../../lib/plugin/provider";
import {
  PROVIDER_BLOCK,
  toProviderBlock,
  validateProviderBlock,
} from "../../../lib/provider/credentials/provider-block";
import { BLOCK, brief, CANARY, textOf } from "../fixtures";

describe("validating a provider block", () => {
  test("finds no mistake in an empty one, in a complete one, and in one of unknown values", () => {
    expect(validateProviderBlock({})).toEqual([]);
    // The environment may give the rest, which is known only when a token is opened.
    expect(validateProviderBlock({ auth_url: BLOCK.auth_url })).toEqual([]);
    expect(
      validateProviderBlock({ ...BLOCK, ca_file: "a", cert_file: "b", key_file: "c" }),
    ).toEqual([]);
    const unknown: CtyObject = Object.fromEntries(
      Object.keys(PROVIDER_BLOCK.attributes).map((name) => [name, UNKNOWN] as const),
    );
    expect(validateProviderBlock(unknown)).toEqual([]);
  });

  test.each<[name: string, CtyObject, string]>([
    [
      "an address without a scheme",
      { auth_url: "identity.example.test" },
      "ERR_ADDRESS_INVALID at auth_url",
    ],
    [
      "an address with a password in it",
      { auth_url: `https://deployer:${CANARY.password}@x.test` },
      "ERR_ADDRESS_INVALID on no line",
    ],
    [
      "an address of http://",
      { auth_url: "http://identity.example.test" },
      "ERR_ADDRESS_INVALID at auth_url",
    ],
    ["an empty account", { account_id: "" }, "ERR_ACCOUNT_INVALID at account_id"],
    [
      "a user's name that ends with a blank",
      { user_name: "deployer " },
      "ERR_NAME_INVALID at user_name",
    ],
    ["an empty password", { password: "" }, "ERR_SECRET_EMPTY on no line"],
    [
      "a password for a variable's name",
      { password_env: `${CANARY.password}!` },
      "ERR_SECRET_MISSING on no line",
    ],
    [
      "an empty path of a password",
      { password_file: "" },
      "ERR_SECRET_UNREADABLE at password_file",
    ],
    [
      "three passwords",
      { password: CANARY.password, password_env: "X", password_file: "x" },
      "ERR_CREDENTIALS_MIXED at password_file",
    ],
    ["a cloud's name of 8,193 characters", { cloud: "x".repeat(8_193) }, "ERR_TOO_LONG on no line"],
    ["an empty cloud's name", { cloud: "" }, "ERR_NAME_INVALID at cloud"],
    [
      "a cloud next to a user's name",
      { cloud: "x", user_name: "deployer" },
      "ERR_CREDENTIALS_MIXED at cloud",
    ],
    ["an empty clouds_folder", { clouds_folder: "" }, "ERR_SECRET_UNREADABLE at clouds_folder"],
    [
      "a base_url of http://",
      { base_url: "http://api.example.test" },
      "ERR_ADDRESS_INVALID at base_url",
    ],
    [
      "a base_url with a password in it",
      { base_url: "https://user:canary@api.example.test" },
      "ERR_ADDRESS_INVALID on no line",
    ],
    ["a certificate without its key", { cert_file: "x" }, "ERR_CERTIFICATE_INVALID at cert_file"],
    ["a key without its certificate", { key_file: "x" }, "ERR_CERTIFICATE_INVALID at key_file"],
    ["a duration above the limit", { retry_for: "6m" }, "ERR_DURATION_INVALID at retry_for"],
    [
      "a command that is a line for a shell",
      { password_command: [`op read ${CANARY.password}`] },
      "ERR_COMMAND_FAILED on no line",
    ],
    [
      "a variable's name with blanks",
      { oidc_token_env: "not a name" },
      "ERR_SECRET_MISSING on no line",
    ],
    [
      "an identity token next to an audience",
      { oidc_token: CANARY.token, oidc_audience: "a" },
      "ERR_CREDENTIALS_MIXED at oidc_audience",
    ],
    ["an empty audience", { oidc_audience: "" }, "ERR_NAME_INVALID at oidc_audience"],
    // Two ways of signing in.
    [
      "an application credential next to a password",
      { application_credential_id: "a", password_env: "X" },
      "ERR_CREDENTIALS_MIXED at application_credential_id",
    ],
    [
      "an identity token next to a user and a password",
      { protocol: "p", oidc_audience: "a", user_name: "u", password: CANARY.password },
      "ERR_CREDENTIALS_MIXED at oidc_audience",
    ],
    // An identity token is sent to no other address.
    ...["..", ".", "ci/../../..", "..\\x", "%2e%2e", "..;x", "a\uff0fb", ""].flatMap((name) =>
      ["identity_provider", "protocol"].map((argument): [string, CtyObject, string] => [
        `${argument} ${JSON.stringify(name)}`,
        { [argument]: name },
        `ERR_NAME_INVALID at ${argument}`,
      ]),
    ),
  ])(
    "refuses %s on its path, unless Terraform would print a secret from there",
    (_name, block, expected) => {
      const diagnostics = validateProviderBlock(block);
      expect(brief(diagnostics)).toEqual([expected]);
      expect(textOf(diagnostics)).not.toContain("canary");
    },
  );

  test("accepts an unknown other half", () => {
    expect(validateProviderBlock({ cert_file: "x", key_file: UNKNOWN })).toEqual([]);
    expect(validateProviderBlock({ password_env: "X", password: UNKNOWN })).toEqual([]);
  });

  test("reports all mistakes at once", () => {
    expect(
      brief(validateProviderBlock({ auth_url: "x", account_id: "", user_name: "", password: "" })),
    ).toHaveLength(4);
  });
});

test("commands are lists, the values of secrets sensitive, and files paths of the stack", () => {
  const those = (isOne: (attribute: AttributeSchema) => boolean) =>
    Object.entries(PROVIDER_BLOCK.attributes)
      .filter(([, attribute]) => isOne(attribute))
      .map(([name]) => name)
      .sort();
  const all = Object.keys(PROVIDER_BLOCK.attributes);
  const ending = (...ends: string[]) =>
    all.filter((name) => ends.some((end) => name.endsWith(end))).sort();
  expect(those(({ type }) => JSON.stringify(type) === '["list","string"]')).toEqual(
    ending("_command"),
  );
  expect(those(({ sensitive }) => sensitive === true)).toEqual([
    "application_credential_secret",
    "oidc_token",
    "password",
  ]);
});

test.each<[name: string, given: string | undefined, path: string | undefined]>([
  ["given as a path, is in messages", "stack/identity", "stack/identity"],
  ["given with a command for CI, is in no message", "stack/identity\n::error::", undefined],
  ["not given, is in no message", undefined, undefined],
])("the construct that declared a block, %s", (_name, given, path) => {
  expect(toProviderBlock(given === undefined ? {} : { declared_by: given }).declared_by).toBe(path);
});
