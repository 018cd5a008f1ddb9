import { inspect } from "node:util";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { describeCredentials } from "../../../lib/provider/sources/describe-credentials";
import { IamTokensError } from "../../../lib/tokens";
import { BLOCK, CANARY, surroundingsOf, VARIABLES } from "../fixtures";

const describeWith = (block: CtyObject, variables: Record<string, string> = {}, attached = false) =>
  describeCredentials(toProviderBlock(block), surroundingsOf(variables, { attached }));

const refusal = async (
  block: CtyObject,
  variables: Record<string, string> = {},
  attached = false,
): Promise<string> => {
  try {
    return `accepted from the ${(await describeWith(block, variables, attached)).source}`;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(`${error.message} ${inspect(error, { depth: 10, showHidden: true })}`).not.toContain(
      "canary",
    );
    return error.message;
  }
};

/** Each way a block can give one piece, with the variable that would give the same. */
const BLOCK_PIECES = [
  ["auth_url", { auth_url: BLOCK.auth_url }],
  ["account_id", { account_id: BLOCK.account_id }],
  ["user_name", { user_name: BLOCK.user_name }],
  ["password", { password: CANARY.password }],
  ["password_env", { password_env: "OTHER" }],
  ["password_file", { password_file: "/run/secret" }],
] as const;

const ENVIRONMENT_PIECES = [
  ["OS_AUTH_URL", "auth_url"],
  ["OS_USER_DOMAIN_NAME", "account_id"],
  ["OS_DOMAIN_NAME", "account_id"],
  ["OS_USERNAME", "user_name"],
  ["OS_PASSWORD", "password"],
] as const;

const VALUES: Readonly<Record<string, string>> = {
  ...VARIABLES,
  OS_DOMAIN_NAME: VARIABLES.OS_USER_DOMAIN_NAME,
};

describe("one source gives all credentials", () => {
  test.each(["password", "password_env", "password_file"])(
    "a block that is complete with %s ignores the environment",
    async (name) => {
      const { password, ...rest } = BLOCK;
      const block = { ...rest, [name]: name === "password" ? password : "OS_PASSWORD" };
      const hostile = {
        ...VARIABLES,
        OS_CLOUD: "x",
        OS_PROJECT_ID: "1",
        OS_DOMAIN_NAME: "other",
        OS_CACERT: "/ca",
        OS_PROJECT_NAME: "p",
      };
      const description = await describeWith(block, hostile);
      expect(description).toMatchObject({
        source: "block",
        accountId: "123456",
        userName: "deployer",
      });
      expect(description.authUrl.v3).toBe("https://identity.example.test/identity/v3");
      expect(description.secret).toMatchObject({ origin: `${name} of the provider block` });
      expect(description).not.toHaveProperty("caFile");
      expect(description).not.toHaveProperty("project");
    },
  );

  test("a complete environment is the source of a block without credentials", async () => {
    const description = await describeWith(
      {},
      { ...VARIABLES, OS_PROJECT_NAME: "web", OS_CACERT: "/etc/ca.pem" },
    );
    expect(description).toMatchObject({
      source: "environment",
      accountId: "654321",
      userName: "pipeline",
      secret: { kind: "env", name: "OS_PASSWORD" },
      project: { name: "web", origin: "OS_PROJECT_NAME" },
      caFile: { path: "/etc/ca.pem", origin: "OS_CACERT" },
    });
  });

  for (const [given, block] of BLOCK_PIECES) {
    for (const [variable, lacking] of ENVIRONMENT_PIECES) {
      const same = lacking === given || (lacking === "password" && given.startsWith("password"));
      test(`${given} of the block and ${variable} of the environment ${same ? "are one piece: the rest is missing" : "are two sources"}`, async () => {
        const message = await refusal(block, { [variable]: VALUES[variable] ?? "" });
        expect(message).toContain(same ? "[ERR_CREDENTIALS_MISSING]" : "[ERR_CREDENTIALS_MIXED]");
        expect(message).toContain(`The provider block gives ${given}`);
        if (same) return;
        expect(message).toContain(`(${variable})`);
        if (variable === "OS_PASSWORD") expect(message).toContain('password_env = "OS_PASSWORD"');
      });

      if (same) continue;
      test(`a block that lacks what ${variable} has is refused, ${given} and all else given`, async () => {
        const { password, ...rest } = BLOCK;
        const complete: CtyObject = given.startsWith("password")
          ? { ...rest, ...block }
          : { ...rest, password };
        const without = Object.fromEntries(
          Object.entries(complete).filter(
            ([name]) => !(lacking === "password" ? name.startsWith("password") : name === lacking),
          ),
        );
        expect(await refusal(without, { [variable]: VALUES[variable] ?? "" })).toContain(
          "[ERR_CREDENTIALS_MIXED]",
        );
        expect(await refusal(without, {})).toContain("[ERR_CREDENTIALS_MISSING]");
      });
    }
  }

  test("a block's address with the whole of the environment is refused: no module gets the pipeline's password", async () => {
    const message = await refusal({ auth_url: "https://attacker.example.test" }, VARIABLES);
    expect(message).toContain("[ERR_CREDENTIALS_MIXED]");
    expect(message).toContain("OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD");
    expect(message).toContain(
      'Add account_id, user_name and password_env = "OS_PASSWORD" to the provider block, or remove auth_url',
    );
  });

  test("the error about a mix names the missing settings as well", async () => {
    expect(
      await refusal({ auth_url: BLOCK.auth_url, user_name: "deployer" }, { OS_PASSWORD: "x" }),
    ).toContain("account_id is missing in both");
  });

  test("a variable that is empty is not set", async () => {
    const { password: _, ...rest } = BLOCK;
    expect(await refusal(rest, { OS_PASSWORD: "" })).toContain("[ERR_CREDENTIALS_MISSING]");
    expect(await refusal({}, { ...VARIABLES, OS_PASSWORD: "" })).toContain(
      "not OS_PASSWORD (empty)",
    );
  });

  test("the error about missing credentials names both ways to give them", async () => {
    expect(await refusal({})).toMatch(
      /Neither the provider block nor the environment.*password_env.*OS_AUTH_URL.*\[ERR_CREDENTIALS_MISSING\]/,
    );
  });

  test("the error about an incomplete environment names the missing variables", async () => {
    expect(
      await refusal({}, { OS_AUTH_URL: "https://x.test", OS_PASSWORD: CANARY.password }),
    ).toContain(
      "The environment gives OS_AUTH_URL and OS_PASSWORD, but not OS_USER_DOMAIN_NAME and OS_USERNAME.",
    );
  });

  test("names the arguments that are not known yet", async () => {
    expect(await refusal({ ...BLOCK, auth_url: UNKNOWN, ca_file: UNKNOWN })).toMatch(
      /auth_url and ca_file are not known yet.*_UNKNOWN\]/,
    );
    expect(await refusal({ password: UNKNOWN }, VARIABLES)).toContain("[ERR_CREDENTIALS_UNKNOWN]");
  });
});

describe("a block that is the source", () => {
  test.each([
    [{ auth_url: "http://identity.example.test" }, "auth_url: ", "ERR_ADDRESS_INVALID"],
    [{ auth_url: "" }, "auth_url: ", "ERR_ADDRESS_INVALID"],
    [{ account_id: " 1" }, "account_id starts", "ERR_ACCOUNT_INVALID"],
    [{ user_name: "" }, "user_name is", "ERR_NAME_INVALID"],
    [{ password: "" }, "password is empty", "ERR_SECRET_EMPTY"],
    [{ password_env: "X" }, "password and password_env", "ERR_CREDENTIALS_MIXED"],
    [{ cloud: "x" }, "cloud names an entry of clouds.yaml", "ERR_CREDENTIALS_MIXED"],
    [{ clouds_folder: "a\nb" }, "clouds_folder is not a path", "ERR_SECRET_UNREADABLE"],
    [{ base_url: "http://x.test" }, "base_url: ", "ERR_ADDRESS_INVALID"],
    [{ cert_file: "c.pem" }, "cert_file is given without key_file", "ERR_CERTIFICATE_INVALID"],
  ])("is checked again when a token is opened: %j", async (more, problem, code) => {
    const message = await refusal({ ...BLOCK, ...more });
    expect(message).toContain(problem);
    expect(message).toContain(`[${code}]`);
  });
});

describe("an environment that is the source", () => {
  test("is refused together with OS_CLOUD: some clients let the variables win, and some the cloud", async () => {
    expect(await refusal({}, { ...VARIABLES, OS_CLOUD: "x" })).toMatch(
      /OS_CLOUD names a cloud, but OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD are set.*_MIXED\]/,
    );
    expect(await refusal({}, { OS_PASSWORD: CANARY.password, OS_CLOUD: "x" })).toContain(
      "[ERR_CREDENTIALS_MIXED]",
    );
    expect(await refusal({}, { ...VARIABLES, OS_CLOUD: "" })).toBe("accepted from the environment");
  });

  test("ignores OS_CLIENT_CONFIG_FILE, which alone does not choose a source", async () => {
    expect(await refusal({}, { ...VARIABLES, OS_CLIENT_CONFIG_FILE: "/no/such/file" })).toBe(
      "accepted from the environment",
    );
    expect(await refusal({}, { OS_CLIENT_CONFIG_FILE: "/no/such/file" })).toMatch(
      /OS_CLOUD, which selects.*_MISSING\]/,
    );
  });

  test.each([
    "OS_PROJECT_ID",
    "OS_TENANT_ID",
    "OS_TENANT_NAME",
    "OS_USER_ID",
    "OS_USER_DOMAIN_ID",
    "OS_PROJECT_DOMAIN_ID",
    "OS_DOMAIN_ID",
    "OS_DEFAULT_DOMAIN_ID",
  ])("is refused by name with %s, not ignored", async (name) => {
    expect(await refusal({}, { ...VARIABLES, [name]: "x" })).toMatch(
      new RegExp(`${name} is set.*ERR_CREDENTIALS_UNSUPPORTED`),
    );
    expect(await refusal({}, { ...VARIABLES, [name]: "" })).toBe("accepted from the environment");
  });

  test("takes the account from OS_DOMAIN_NAME as well, and refuses two different ones", async () => {
    const { OS_USER_DOMAIN_NAME: _, ...rest } = VARIABLES;
    expect((await describeWith({}, { ...rest, OS_DOMAIN_NAME: "777" })).accountId).toBe("777");
    expect(await refusal({}, { ...VARIABLES, OS_DOMAIN_NAME: VARIABLES.OS_USER_DOMAIN_NAME })).toBe(
      "accepted from the environment",
    );
    expect(await refusal({}, { ...VARIABLES, OS_DOMAIN_NAME: "777" })).toMatch(
      /OS_USER_DOMAIN_NAME and OS_DOMAIN_NAME.*UNSUPPORTED/,
    );
  });

  test("accepts OS_PROJECT_DOMAIN_NAME only when it is the account", async () => {
    expect(
      await refusal({}, { ...VARIABLES, OS_PROJECT_DOMAIN_NAME: VARIABLES.OS_USER_DOMAIN_NAME }),
    ).toBe("accepted from the environment");
    expect(await refusal({}, { ...VARIABLES, OS_PROJECT_DOMAIN_NAME: "777" })).toMatch(
      /OS_PROJECT_DOMAIN_NAME.*UNSUPPORTED/,
    );
  });

  test("accepts OS_AUTH_TYPE only when it names a way of signing in, and refuses another way's parts", async () => {
    for (const type of ["password", "v3password"]) {
      expect(await refusal({}, { ...VARIABLES, OS_AUTH_TYPE: type })).toBe(
        "accepted from the environment",
      );
    }
    expect(await refusal({}, { ...VARIABLES, OS_AUTH_TYPE: "v3totp" })).toMatch(
      /OS_AUTH_TYPE.*UNSUPPORTED/,
    );
    expect(await refusal({}, { ...VARIABLES, OS_AUTH_TYPE: "v3applicationcredential" })).toMatch(
      /The environment gives OS_USERNAME \(an application credential\) and OS_PASSWORD, which belongs to another way of signing in.*MIXED/,
    );
  });

  test.each(["OS_TOKEN", "OS_AUTH_TOKEN", "OS_PASSCODE", "OS_TRUST_ID", "OS_SYSTEM_SCOPE"])(
    "is refused by name with %s, which requests another kind of sign-in",
    async (name) => {
      const message = await refusal({}, { ...VARIABLES, [name]: "canary-of-another-kind" });
      expect(message).toMatch(
        new RegExp(`${name} (?:is|requests|requires).*ERR_CREDENTIALS_UNSUPPORTED`),
      );
      expect(message).not.toContain("canary");
    },
  );

  test.each([
    [
      { OS_INSECURE: "true" },
      /^In the environment: OS_INSECURE: certificate checks .* stay on\. .*OS_CACERT\.$/,
    ],
    [{ OS_VERIFY: "False" }, /OS_VERIFY: certificate checks/],
    [{ OS_INSECURE: "0", OS_VERIFY: "yes", OS_IDENTITY_API_VERSION: "3" }, undefined],
    [{ OS_REGION_NAME: "R", OS_INTERFACE: "internal", OS_IDENTITY_API_VERSION: "2.0" }, undefined],
  ])("warns of unsupported settings: %j", async (more, warning) => {
    const { warning: reported } = await describeWith({}, { ...VARIABLES, ...more });
    if (warning === undefined) expect(reported).toBeUndefined();
    else expect(reported).toMatch(warning);
  });

  test("gives a client certificate by OS_CERT and OS_KEY, from the project's folder; both or neither", async () => {
    const files = { OS_CERT: "tls/cert.pem", OS_KEY: "/key.pem" };
    expect(
      (await describeWith({ clouds_folder: "/project" }, { ...VARIABLES, ...files }))
        .clientCertificate,
    ).toEqual({
      cert: { path: "/project/tls/cert.pem", origin: "OS_CERT" },
      key: { path: "/key.pem", origin: "OS_KEY" },
    });
    expect(await refusal({}, { ...VARIABLES, OS_CERT: "x" })).toMatch(
      /OS_CERT is set, but OS_KEY is not.*ERR_CERTIFICATE_INVALID/,
    );
    expect(await refusal({}, { ...VARIABLES, OS_KEY: "x" })).toMatch(
      /OS_KEY is set, but OS_CERT is not.*ERR_CERTIFICATE_INVALID/,
    );
  });

  test("reports all unsupported settings at once", async () => {
    const message = await refusal(
      {},
      { ...VARIABLES, OS_PROJECT_ID: "1", OS_DOMAIN_NAME: "2", OS_PROJECT_DOMAIN_NAME: "3" },
    );
    for (const name of ["OS_PROJECT_ID", "OS_DOMAIN_NAME", "OS_PROJECT_DOMAIN_NAME"])
      expect(message).toContain(name);
  });

  test.each([
    [{ OS_AUTH_URL: "ftp://x" }, "OS_AUTH_URL: ", "ERR_ADDRESS_INVALID"],
    [{ OS_USERNAME: "a\nb" }, "OS_USERNAME has", "ERR_NAME_INVALID"],
    [{ OS_USER_DOMAIN_NAME: " 1" }, "OS_USER_DOMAIN_NAME starts", "ERR_ACCOUNT_INVALID"],
  ])("has its values checked, by the names of their variables: %j", async (more, problem, code) => {
    const message = await refusal({}, { ...VARIABLES, ...more });
    expect(message).toContain(problem);
    expect(message).toContain(`[${code}]`);
  });

  test("is used with the block's files for TLS, which do not make the block the source", async () => {
    const files = { ca_file: "ca.pem", cert_file: "cert.pem", key_file: "key.pem" };
    expect(await describeWith(files, { ...VARIABLES, OS_CACERT: "/other" })).toMatchObject({
      source: "environment",
      caFile: { path: "ca.pem", origin: "ca_file of the provider block" },
      clientCertificate: { cert: { path: "cert.pem" }, key: { path: "key.pem" } },
    });
    expect(await refusal(files)).toContain("[ERR_CREDENTIALS_MISSING]");
  });
});
