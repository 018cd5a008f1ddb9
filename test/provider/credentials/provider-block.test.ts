import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
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

  test.each<[CtyObject, string]>([
    [{ auth_url: "identity.example.test" }, "ERR_ADDRESS_INVALID at auth_url"],
    [{ auth_url: `https://deployer:${CANARY.password}@x.test` }, "ERR_ADDRESS_INVALID on no line"],
    [{ auth_url: "http://identity.example.test" }, "ERR_ADDRESS_INVALID at auth_url"],
    [{ account_id: "" }, "ERR_ACCOUNT_INVALID at account_id"],
    [{ user_name: "deployer " }, "ERR_NAME_INVALID at user_name"],
    [{ password: "" }, "ERR_SECRET_EMPTY on no line"],
    [{ password_env: `${CANARY.password}!` }, "ERR_SECRET_MISSING on no line"],
    [{ password_file: "" }, "ERR_SECRET_UNREADABLE at password_file"],
    [
      { password: CANARY.password, password_env: "X", password_file: "x" },
      "ERR_CREDENTIALS_MIXED at password_file",
    ],
    [{ cloud: "x".repeat(8_193) }, "ERR_TOO_LONG on no line"],
    [{ cloud: "" }, "ERR_NAME_INVALID at cloud"],
    [{ cloud: "x", user_name: "deployer" }, "ERR_CREDENTIALS_MIXED at cloud"],
    [{ clouds_folder: "" }, "ERR_SECRET_UNREADABLE at clouds_folder"],
    [{ base_url: "http://api.example.test" }, "ERR_ADDRESS_INVALID at base_url"],
    [{ base_url: "https://user:canary@api.example.test" }, "ERR_ADDRESS_INVALID on no line"],
    [{ cert_file: "x" }, "ERR_CERTIFICATE_INVALID at cert_file"],
    [{ key_file: "x" }, "ERR_CERTIFICATE_INVALID at key_file"],
    [{ retry_for: "6m" }, "ERR_DURATION_INVALID at retry_for"],
    [{ password_command: [`op read ${CANARY.password}`] }, "ERR_COMMAND_FAILED on no line"],
    [{ oidc_token_env: "not a name" }, "ERR_SECRET_MISSING on no line"],
    [{ oidc_token: CANARY.token, oidc_audience: "a" }, "ERR_CREDENTIALS_MIXED at oidc_audience"],
    [{ oidc_audience: "" }, "ERR_NAME_INVALID at oidc_audience"],
    // Two ways of signing in.
    [
      { application_credential_id: "a", password_env: "X" },
      "ERR_CREDENTIALS_MIXED at application_credential_id",
    ],
    [
      { protocol: "p", oidc_audience: "a", user_name: "u", password: CANARY.password },
      "ERR_CREDENTIALS_MIXED at oidc_audience",
    ],
    // An identity token is sent to no other address.
    ...["..", ".", "ci/../../..", "..\\x", "%2e%2e", "..;x", "a\uff0fb", ""].flatMap((name) =>
      ["identity_provider", "protocol"].map((argument): [CtyObject, string] => [
        { [argument]: name },
        `ERR_NAME_INVALID at ${argument}`,
      ]),
    ),
  ])(
    "refuses %j on its path, unless Terraform would print a secret from there",
    (block, expected) => {
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

test.each([
  ["stack/identity", "stack/identity"],
  ["stack/identity\n::error::", undefined],
  [undefined, undefined],
])("the construct that declared a block, given as %j, is %j in messages", (given, path) => {
  expect(toProviderBlock(given === undefined ? {} : { declared_by: given }).declared_by).toBe(path);
});

test.each<[string, CtyValue, string | undefined]>([
  ["the same version", "1.2.3", "1.2.3"],
  ["a block that says none, as in plain HCL", null, "1.2.3"],
  ["a version that is not known yet", UNKNOWN, "1.2.3"],
  ["a provider that Terraform has launched, and compared itself", "0.0.9", undefined],
])("%s is not refused", (_what, stack, provider) => {
  expect(validateProviderBlock({ package_version: stack }, provider)).toEqual([]);
});

test("another version is refused, and both are named", () => {
  const refused = validateProviderBlock({ package_version: "0.0.9" }, "1.2.3");
  expect(brief(refused)).toEqual(["ERR_VERSION_MISMATCH at package_version"]);
  expect(textOf(refused)).toContain(
    'by version "0.0.9" of the constructs, but the running provider is version 1.2.3.',
  );
});
