import { inspect } from "node:util";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import {
  toProviderBlock,
  validateProviderBlock,
} from "../../../lib/provider/credentials/provider-block";
import { describeCredentials } from "../../../lib/provider/sources/describe-credentials";
import { IamTokensError } from "../../../lib/tokens";
import { brief, CANARY, surroundingsOf } from "../fixtures";

const SERVICE = { auth_url: "https://identity.example.test", account_id: "123456" };
const BY_ID = {
  ...SERVICE,
  application_credential_id: "a1",
  application_credential_secret: CANARY.password,
};
const BY_NAME = {
  ...SERVICE,
  application_credential_name: "ci",
  user_name: "deployer",
  application_credential_secret_env: "AC_SECRET",
};
const FEDERATION = {
  ...SERVICE,
  identity_provider: "github",
  protocol: "openid",
  oidc_audience: "https://iam.example.test",
};

const without = (block: CtyObject, ...names: string[]): CtyObject =>
  Object.fromEntries(Object.entries(block).filter(([name]) => !names.includes(name)));

const describeWith = (block: CtyObject, variables: Record<string, string> = {}) =>
  describeCredentials(toProviderBlock(block), surroundingsOf(variables));

const refusal = async (
  block: CtyObject,
  variables: Record<string, string> = {},
): Promise<string> => {
  try {
    return `accepted: ${(await describeWith(block, variables)).way}`;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(`${error.message} ${inspect(error, { depth: 10 })}`).not.toContain("canary");
    return error.message;
  }
};

describe("a block", () => {
  test("signs in with an application credential by its id, with or without an account", async () => {
    const wanted = { way: "application credential", by: { id: "a1" }, accountId: "123456" };
    expect(await describeWith(BY_ID)).toMatchObject(wanted);
    expect(await describeWith(without(BY_ID, "account_id"))).not.toHaveProperty("accountId");
  });

  test("signs in with an application credential by its name, which needs user and account", async () => {
    expect(await describeWith(BY_NAME)).toMatchObject({
      way: "application credential",
      by: { name: "ci", userName: "deployer" },
      accountId: "123456",
      secret: { kind: "env", name: "AC_SECRET" },
    });
    for (const part of ["user_name", "account_id"])
      expect(await refusal(without(BY_NAME, part))).toContain(
        `${part} is missing. Give ${part} in the provider block. [ERR_CREDENTIALS_MISSING]`,
      );
  });

  test.each<{ given: CtyObject; secret: object }>([
    { given: { oidc_token: CANARY.token }, secret: { kind: "value" } },
    { given: { oidc_token_env: "JWT" }, secret: { kind: "env", name: "JWT" } },
    { given: { oidc_token_file: "/run/jwt" }, secret: { kind: "file", path: "/run/jwt" } },
    {
      given: { oidc_token_command: ["agent", "token"] },
      secret: { kind: "command", command: ["agent", "token"] },
    },
    { given: { oidc_audience: "a" }, secret: { kind: "audience", audience: "a" } },
  ])("signs in with an identity token by $given", async ({ given, secret }) => {
    const block = { ...without(FEDERATION, "oidc_audience"), ...given };
    expect(validateProviderBlock(block)).toEqual([]);
    const [origin] = Object.keys(given);
    expect(await describeWith(block)).toMatchObject({
      way: "identity token",
      accountId: "123456",
      identityProvider: "github",
      protocol: "openid",
      secret: { ...secret, origin: `${origin} of the provider block` },
    });
  });
});

describe("half a way", () => {
  test.each<{ block: CtyObject; missing: string }>([
    {
      block: without(BY_ID, "application_credential_secret"),
      missing:
        "the application credential's secret (application_credential_secret, application_credential_secret_env, application_credential_secret_file or application_credential_secret_command) is missing",
    },
    { block: without(FEDERATION, "protocol"), missing: "protocol is missing" },
    {
      block: without(FEDERATION, "account_id", "oidc_audience"),
      missing:
        "account_id and the identity token (oidc_token, oidc_token_env, oidc_token_file, oidc_token_command or oidc_audience) are missing",
    },
  ])("is refused: $missing", async ({ block, missing }) => {
    expect(validateProviderBlock(block)).toEqual([]);
    expect(await refusal(block)).toContain(missing);
  });

  test("is not completed by the environment", async () => {
    const half = without(BY_ID, "application_credential_secret");
    expect(await refusal(half, { OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password })).toMatch(
      /would come from the environment \(OS_APPLICATION_CREDENTIAL_SECRET\): two sources.*application_credential_secret_env = "OS_APPLICATION_CREDENTIAL_SECRET".*MIXED/,
    );
  });
});

test.each<{ block: CtyObject; at: string; says: string }>([
  {
    block: { ...BY_ID, password_env: "PW" },
    at: "password_env",
    says: "gives application_credential_id and application_credential_secret (an application credential) and password_env, which belongs to another way of signing in",
  },
  {
    block: { ...BY_ID, user_name: "deployer" },
    at: "user_name",
    says: "and user_name, which belongs to another way",
  },
  {
    block: { ...FEDERATION, application_credential_secret_env: "X" },
    at: "application_credential_secret_env",
    says: "(an identity token) and application_credential_secret_env, which belongs",
  },
  {
    block: { ...FEDERATION, user_name: "deployer", password_env: "PW" },
    at: "password_env",
    says: "user_name and password_env, which belong to another way",
  },
])("two ways are refused at $at, at once", async ({ block, at, says }) => {
  expect(brief(validateProviderBlock(block))).toEqual([`ERR_CREDENTIALS_MIXED at ${at}`]);
  const message = await refusal(block);
  expect(message).toContain(says);
  expect(message).toContain(
    "Allowed: one of a password, an application credential or an identity token",
  );
});

test.each(["..", ".", "ci/../../..", "..\\x", "%2e%2e", "..;x", "a\uff0fb"])(
  "an identity token is sent to no other address by the identity provider or protocol %j",
  async (name) => {
    for (const argument of ["identity_provider", "protocol"]) {
      const block = { ...FEDERATION, [argument]: name };
      expect(brief(validateProviderBlock(block))).toEqual([`ERR_NAME_INVALID at ${argument}`]);
      expect(await refusal(block)).toMatch(
        /, which cannot be a segment of an address\. Allowed: letters/,
      );
    }
  },
);

test.each<{ block: CtyObject; expected: string }>([
  { block: { password_command: [] }, expected: "ERR_COMMAND_FAILED on no line" },
  { block: { password_command: [""] }, expected: "ERR_COMMAND_FAILED on no line" },
  { block: { password_command: ["op", null] }, expected: "ERR_COMMAND_FAILED on no line" },
  {
    block: { password_command: [`op read ${CANARY.password}`] },
    expected: "ERR_COMMAND_FAILED on no line",
  },
  { block: { oidc_token_env: "not a name" }, expected: "ERR_SECRET_MISSING on no line" },
  {
    block: { oidc_token: CANARY.token, oidc_audience: "a" },
    expected: "ERR_CREDENTIALS_MIXED at oidc_audience",
  },
  { block: { identity_provider: "" }, expected: "ERR_NAME_INVALID at identity_provider" },
])("$block is $expected", ({ block, expected }) => {
  const found = validateProviderBlock(block);
  expect(brief(found)).toEqual([expected]);
  expect(JSON.stringify(found)).not.toContain("canary");
});

describe("an environment", () => {
  const OPENRC = {
    OS_AUTH_TYPE: "v3applicationcredential",
    OS_AUTH_URL: "https://identity.example.test/v3",
    OS_IDENTITY_API_VERSION: "3",
    OS_REGION_NAME: "R",
    OS_INTERFACE: "public",
    OS_APPLICATION_CREDENTIAL_ID: "a1",
    OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password,
  };
  const FEDERATED = {
    OS_AUTH_TYPE: "v3oidcaccesstoken",
    OS_AUTH_URL: "https://identity.example.test/v3",
    OS_IDENTITY_PROVIDER: "ci",
    OS_PROTOCOL: "openid",
    OS_ACCESS_TOKEN: CANARY.token,
    OS_PROJECT_NAME: "web",
    OS_PROJECT_DOMAIN_NAME: "123456",
  };

  test("of an openrc file for an application credential is taken unchanged", async () => {
    expect(await describeWith({}, OPENRC)).toMatchObject({
      way: "application credential",
      by: { id: "a1" },
      secret: { kind: "env", name: "OS_APPLICATION_CREDENTIAL_SECRET" },
    });
    const { OS_APPLICATION_CREDENTIAL_ID: _, ...rest } = OPENRC;
    expect(
      await describeWith(
        {},
        {
          ...rest,
          OS_APPLICATION_CREDENTIAL_NAME: "ci",
          OS_USERNAME: "u",
          OS_USER_DOMAIN_NAME: "1",
        },
      ),
    ).toMatchObject({ by: { name: "ci", userName: "u" }, accountId: "1" });
  });

  test("of an openrc file for an identity token is taken unchanged", async () => {
    expect(await describeWith({}, FEDERATED)).toMatchObject({
      way: "identity token",
      accountId: "123456",
      identityProvider: "ci",
      protocol: "openid",
      project: { name: "web" },
      secret: { kind: "env", name: "OS_ACCESS_TOKEN" },
    });
  });

  test("needs no type if its parts name the way", async () => {
    const { OS_AUTH_TYPE: _, ...untyped } = OPENRC;
    expect(await refusal({}, untyped)).toBe("accepted: application credential");
  });

  test("with parts of two ways is refused", async () => {
    expect(await refusal({}, { ...OPENRC, OS_PASSWORD: CANARY.password })).toMatch(
      /The environment gives OS_APPLICATION_CREDENTIAL_ID and OS_APPLICATION_CREDENTIAL_SECRET \(an application credential\) and OS_PASSWORD, which belongs to another way.* Remove OS_PASSWORD, or the parts of the other way\. .*MIXED/,
    );
  });

  test("with parts of another way than its type names is refused", async () => {
    const { OS_AUTH_TYPE, OS_AUTH_URL } = OPENRC;
    expect(await refusal({}, { OS_AUTH_TYPE, OS_AUTH_URL, OS_PASSWORD: CANARY.password })).toMatch(
      /^The environment gives OS_PASSWORD, which belongs to another way of signing in\. .* Remove OS_PASSWORD\. .*MIXED/,
    );
  });

  test("with half a way names what is missing", async () => {
    const { OS_APPLICATION_CREDENTIAL_SECRET: _, ...half } = OPENRC;
    expect(await refusal({}, half)).toContain("but not OS_APPLICATION_CREDENTIAL_SECRET.");
    const { OS_PROTOCOL: __, ...federated } = FEDERATED;
    expect(await refusal({}, federated)).toContain("but not OS_PROTOCOL.");
  });

  test("sends an identity token to no other address", async () => {
    const wrong = { OS_IDENTITY_PROVIDER: "..", OS_PROTOCOL: "x/.." };
    const message = await refusal({}, { ...FEDERATED, ...wrong });
    for (const name of Object.keys(wrong)) expect(message).toContain(`${name} is`);
  });

  test("reports all wrong values at once", async () => {
    const wrong = { OS_AUTH_URL: "ftp://x", OS_IDENTITY_PROVIDER: " x", OS_PROTOCOL: "a\nb" };
    const message = await refusal({}, { ...FEDERATED, ...wrong });
    for (const name of Object.keys(wrong)) expect(message).toContain(name);
  });
});
