import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { describeCredentials } from "../../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { ofProcess, BLOCK as PROVIDER, setting, words } from "../../../lib/tokens";
import { BLOCK, CANARY, refusalOf, surroundingsOf, VARIABLES } from "../fixtures";

type Variables = Readonly<Record<string, string>>;

const describeWith = (block: CtyObject, variables: Variables = {}) =>
  describeCredentials(toProviderBlock(block), surroundingsOf(variables));

const ofBlock = (name: string) => words`${setting(name)} of ${PROVIDER}`;

/** The error's message; or the source. */
const outcomeOf = async (block: CtyObject, variables: Variables = {}): Promise<string> => {
  let source = "";
  const refusal = await refusalOf(async () => {
    source = (await describeWith(block, variables)).givenBy;
  });
  return refusal?.message ?? `accepted from the ${source}`;
};

const without = (block: CtyObject, ...names: string[]): CtyObject =>
  Object.fromEntries(Object.entries(block).filter(([name]) => !names.includes(name)));

const { auth_url, account_id } = BLOCK;
const SERVICE = { auth_url, account_id };
const BY_ID = {
  ...SERVICE,
  application_credential_id: "a1",
  application_credential_secret: CANARY.password,
};
const BY_NAME = {
  ...SERVICE,
  user_name: "deployer",
  application_credential_name: "ci",
  application_credential_secret_env: "AC_SECRET",
};
const FEDERATION = { ...SERVICE, identity_provider: "github", protocol: "openid" };

const { OS_AUTH_URL } = VARIABLES;
const OPENRC = {
  OS_AUTH_TYPE: "v3applicationcredential",
  OS_AUTH_URL,
  OS_APPLICATION_CREDENTIAL_ID: "a1",
  OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password,
};
const FEDERATED = {
  OS_AUTH_TYPE: "v3oidcaccesstoken",
  OS_AUTH_URL,
  OS_IDENTITY_PROVIDER: "ci",
  OS_PROTOCOL: "openid",
  OS_ACCESS_TOKEN: CANARY.token,
  OS_PROJECT_NAME: "web",
  OS_PROJECT_DOMAIN_NAME: "123456",
};
describe("a source with one whole way of signing in", () => {
  const account = { name: "123456" };
  const references = { account };
  const deployer = { name: "deployer", domain: account };
  const user = { way: "password", user: deployer, references };
  const byId = { way: "application credential", by: { id: "a1" } };
  const byName = { ...byId, by: { name: "ci", user: deployer } };
  const federated = { way: "identity token", protocol: "openid", references };
  const of = (name: string, kind: object) => ({ ...kind, origin: ofBlock(name) });
  const rows: [name: string, CtyObject, Variables, object][] = [
    ["a password in the block", BLOCK, {}, { ...user, secret: of("password", { kind: "value" }) }],
    ["an application credential's id in the block", BY_ID, {}, { ...byId, references }],
    [
      "an application credential's name in the block",
      BY_NAME,
      {},
      { ...byName, secret: { kind: "env", place: "AC_SECRET" } },
    ],
    ...(
      [
        ["oidc_token", CANARY.token, { kind: "value" }],
        ["oidc_token_env", "JWT", { kind: "env", place: "JWT" }],
        ["oidc_token_file", "/run/jwt", { kind: "file", place: "/run/jwt" }],
        ["oidc_token_command", ["a", "b"], { kind: "command", place: ["a", "b"] }],
        ["oidc_audience", "a", { kind: "audience", place: "a" }],
      ] as const
    ).map(([name, value, secret]): [string, CtyObject, Variables, object] => [
      `${name} in the block`,
      { ...FEDERATION, [name]: value },
      {},
      { ...federated, identityProvider: "github", secret: of(name, secret) },
    ]),
    [
      "a password in the environment, with a project and a CA",
      {},
      { ...VARIABLES, OS_PROJECT_NAME: "web", OS_CACERT: "/etc/ca.pem" },
      {
        givenBy: "environment",
        way: "password",
        user: { name: "pipeline", domain: { name: "654321" } },
        secret: { kind: "env", place: "OS_PASSWORD", origin: ofProcess("OS_PASSWORD") },
        project: { name: "web", origin: ofProcess("OS_PROJECT_NAME") },
        files: { ca: { path: "/etc/ca.pem", origin: ofProcess("OS_CACERT") } },
      },
    ],
    [
      "an application credential's openrc",
      {},
      OPENRC,
      { ...byId, secret: { place: "OS_APPLICATION_CREDENTIAL_SECRET" } },
    ],
    ["an openrc whose OS_AUTH_TYPE is empty", {}, { ...OPENRC, OS_AUTH_TYPE: "" }, byId],
    [
      "an application credential's name in the environment, next to an empty password",
      {},
      {
        ...VARIABLES,
        OS_PASSWORD: "",
        OS_APPLICATION_CREDENTIAL_NAME: "ci",
        OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password,
      },
      { by: { name: "ci", user: { name: "pipeline", domain: { name: "654321" } } } },
    ],
    [
      "an identity token in the environment",
      {},
      FEDERATED,
      { ...federated, project: { name: "web" } },
    ],
  ];

  test.each(rows)("is that of %s", async (_name, block, variables, wanted) => {
    expect(await describeWith(block, variables)).toMatchObject(wanted);
  });

  test("is found once for a block: no token reads a file again", async () => {
    const block = toProviderBlock(BLOCK);
    const described = () => describeCredentials(block, surroundingsOf({}));
    expect(await described()).toBe(await described());
  });

  test("an application credential's id needs no account", async () => {
    expect(await describeWith(without(BY_ID, "account_id"))).toMatchObject({
      references: { user: {} },
    });
  });

  test("a whole block ignores the environment", async () => {
    const hostile = {
      ...VARIABLES,
      OS_CLOUD: "x",
      OS_PROJECT_ID: "1",
      OS_DOMAIN_NAME: "other",
      OS_CACERT: "/ca",
      OS_PROJECT_NAME: "p",
    };
    expect(await describeWith(BLOCK, hostile)).toEqual(await describeWith(BLOCK));
  });
});

describe("parts of two sources", () => {
  /** Each argument that gives a part, with the variables that would give the same. */
  const PIECES = [
    ["auth_url", auth_url, ["OS_AUTH_URL"]],
    ["account_id", account_id, ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"]],
    ["user_name", BLOCK.user_name, ["OS_USERNAME"]],
    ["password", CANARY.password, ["OS_PASSWORD"]],
    ["password_env", "OTHER", ["OS_PASSWORD"]],
    ["password_file", "/run/secret", ["OS_PASSWORD"]],
  ] as const;
  const pairs = PIECES.flatMap(([name, value, same]) =>
    ["OS_AUTH_URL", "OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME", "OS_USERNAME", "OS_PASSWORD"].map(
      (variable) => ({ name, value, variable, same: same.some((each) => each === variable) }),
    ),
  );

  test.each(pairs)(
    "$name and $variable are one piece: $same",
    async ({ name, value, variable, same }) => {
      const environment = { [variable]: CANARY.password };
      const one = await outcomeOf({ [name]: value }, environment);
      expect(one).toContain(`The provider block gives ${name}, but lacks`);
      expect(one).toContain(same ? "[ERR_CREDENTIALS_MISSING]" : "[ERR_CREDENTIALS_MIXED]");
      // And the other way round: all but that one piece.
      const rest = without(BLOCK, name.startsWith("password") ? "password" : name);
      const lacking = await outcomeOf(rest, environment);
      expect(lacking).toContain(same ? "[ERR_CREDENTIALS_MIXED]" : "[ERR_CREDENTIALS_MISSING]");
      expect(lacking.includes(`${variable} is set, but not used with the provider block`)).toBe(
        same,
      );
      expect(await outcomeOf(rest)).toContain("[ERR_CREDENTIALS_MISSING]");
    },
  );

  test("no module gets the pipeline's password for its own address", async () => {
    expect(await outcomeOf({ auth_url: "https://attacker.example.test" }, VARIABLES)).toBe(
      "The provider block gives auth_url, but lacks the account, the user and the password. " +
        "One source gives all parts: OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD are set, but not used with the provider block. " +
        'Add account_id, user_name and password_env = "OS_PASSWORD" to the provider block. [ERR_CREDENTIALS_MIXED]',
    );
  });

  test("OS_CLOUD and variables: some clients let the one win, and some the others", async () => {
    expect(await outcomeOf({}, { ...VARIABLES, OS_CLOUD: "x" })).toMatch(
      /^OS_CLOUD names an entry of clouds.yaml, but OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD are given: two sources\. Remove OS_CLOUD, or remove OS_AUTH_URL, .*_MIXED\]/,
    );
    expect(await outcomeOf({}, { ...VARIABLES, OS_CLOUD: "" })).toBe(
      "accepted from the environment",
    );
  });

  test("the block's files for TLS are used with every source, and do not make the block one", async () => {
    const files = { ca_file: "ca.pem", cert_file: "cert.pem", key_file: "key.pem" };
    const other = { OS_CACERT: "/other", OS_CERT: "/other", OS_KEY: "/other" };
    const of = (name: string) => ({
      path: `${name}.pem`,
      origin: ofBlock(`${name}_file`),
    });
    expect(await describeWith(files, { ...VARIABLES, ...other })).toMatchObject({
      givenBy: "environment",
      files: { ca: of("ca"), cert: of("cert"), key: of("key") },
    });
    expect(await outcomeOf(files)).toContain("[ERR_CREDENTIALS_MISSING]");
  });

  test("relative files of the environment start from clouds_folder", async () => {
    const files = { OS_CERT: "tls/cert.pem", OS_KEY: "/key.pem" };
    const described = await describeWith({ clouds_folder: "/project" }, { ...VARIABLES, ...files });
    expect(described.files).toMatchObject({
      cert: { path: "/project/tls/cert.pem", origin: ofProcess("OS_CERT") },
      key: { path: "/key.pem", origin: ofProcess("OS_KEY") },
    });
  });
});

/** What each source refuses when a token is opened. */
const REFUSED: [name: string, CtyObject, Variables, says: string | RegExp, code: string][] = [
  // Nothing, or half a way.
  [
    "nothing",
    {},
    {},
    /^Neither the provider block nor the environment gives credentials\. .*password_env.*OS_AUTH_URL/,
    "MISSING",
  ],
  [
    "an address and a password alone",
    {},
    { OS_AUTH_URL, OS_PASSWORD: CANARY.password },
    "The environment gives OS_AUTH_URL and OS_PASSWORD, but lacks the account and the user. Set OS_USER_DOMAIN_NAME and OS_USERNAME. [",
    "MISSING",
  ],
  [
    "an empty OS_PASSWORD",
    {},
    { ...VARIABLES, OS_PASSWORD: "" },
    "but lacks the password. Set OS_PASSWORD. [",
    "MISSING",
  ],
  [
    "an application credential whose secret is in the environment",
    without(BY_ID, "application_credential_secret"),
    OPENRC,
    'application_credential_secret_env = "OS_APPLICATION_CREDENTIAL_SECRET"',
    "MIXED",
  ],
  [
    "an application credential's name without its user",
    without(BY_NAME, "user_name"),
    {},
    "but lacks the user. Add user_name to the provider block. [",
    "MISSING",
  ],
  [
    "an identity provider without an identity token",
    without(FEDERATION, "account_id"),
    {},
    "but lacks the identity token. Add oidc_token_env to the provider block. [",
    "MISSING",
  ],
  [
    "an address and a CA that are not known yet",
    { ...BLOCK, auth_url: UNKNOWN, ca_file: UNKNOWN },
    {},
    "auth_url and ca_file are not known yet",
    "UNKNOWN",
  ],
  [
    "a password that is not known yet",
    { password: UNKNOWN },
    VARIABLES,
    "password is not known yet",
    "UNKNOWN",
  ],
  // Two ways, and two values.
  [
    "a password next to an application credential",
    {},
    { ...OPENRC, OS_AUTH_TYPE: "", OS_PASSWORD: CANARY.password },
    "The environment signs in with an application credential, and gives OS_PASSWORD of another way.",
    "MIXED",
  ],
  [
    "an OS_AUTH_TYPE that selects what is not given",
    {},
    { ...VARIABLES, OS_AUTH_TYPE: "v3applicationcredential" },
    "lacks the application credential's id and the application credential's secret. Set OS_APPLICATION_CREDENTIAL_ID and OS_APPLICATION_CREDENTIAL_SECRET. [",
    "MISSING",
  ],
  // Settings of OpenStack's clients.
  ...["OS_TOKEN", "OS_AUTH_TOKEN", "OS_PASSCODE", "OS_TRUST_ID", "OS_SYSTEM_SCOPE"].map(
    (name): [string, CtyObject, Variables, RegExp, string] => [
      name,
      {},
      { ...VARIABLES, [name]: "canary-of-another-kind" },
      new RegExp(`^${name} (?:is a token|requests a scope|requires a second factor)`),
      "UNSUPPORTED",
    ],
  ),
  [
    "another OS_AUTH_TYPE that has a command for CI",
    {},
    { ...VARIABLES, OS_AUTH_TYPE: "v3kerberos\n::error::" },
    "OS_AUTH_TYPE is not password, v3password, v3applicationcredential or v3oidcaccesstoken.",
    "UNSUPPORTED",
  ],
  [
    "OS_PASSCODE and OS_TRUST_ID",
    {},
    { ...VARIABLES, OS_PASSCODE: "1", OS_TRUST_ID: "2" },
    /^OS_PASSCODE requires /,
    "UNSUPPORTED",
  ],
  // Values, by the names of their settings.
  [
    "an address of ftp://",
    {},
    { ...VARIABLES, OS_AUTH_URL: "ftp://x" },
    "OS_AUTH_URL: ",
    "ERR_ADDRESS_INVALID",
  ],
  [
    "a certificate without its key",
    {},
    { ...VARIABLES, OS_CERT: "x" },
    "OS_CERT is given without the other half",
    "ERR_CERTIFICATE_INVALID",
  ],
];

for (const [name, block, variables, says, code] of REFUSED)
  test(`a source with ${name} is refused: ${code}`, async () => {
    const message = await outcomeOf(block, variables);
    expect(message).toMatch(
      new RegExp(`\\[${code.startsWith("ERR") ? code : `ERR_CREDENTIALS_${code}`}\\]$`),
    );
    if (typeof says === "string") expect(message).toContain(says);
    else expect(message).toMatch(says);
  });

/** Domains and ids, as each source has them: the settings, the user, and the references. */
const account = { name: "654321" };
const REFERENCES: [name: string, Variables, user: object, references: object][] = [
  [
    "no other variable",
    {},
    { name: "pipeline", domain: account },
    { account, projectDomain: account },
  ],
  [
    "OS_DOMAIN_ID in place of a name",
    { OS_USER_DOMAIN_NAME: "", OS_DOMAIN_ID: "d1" },
    { name: "pipeline", domain: { id: "d1" } },
    { account: { id: "d1" }, projectDomain: { id: "d1" } },
  ],
  [
    "the ids of both domains",
    { OS_USER_DOMAIN_ID: "d1", OS_PROJECT_DOMAIN_ID: "d2" },
    { name: "pipeline", domain: { id: "d1" } },
    {
      user: { name: "pipeline", domain: { id: "d1", ...account } },
      account: { id: "d2" },
      ownProjectDomain: { id: "d2" },
    },
  ],
  // The id is sent, as by openstacksdk, and the name is compared with the answer.
  [
    "OS_DEFAULT_DOMAIN_ID",
    { OS_DEFAULT_DOMAIN_ID: "d1" },
    { name: "pipeline", domain: { id: "d1" } },
    {
      user: { name: "pipeline", domain: { id: "d1", ...account } },
      ownProjectDomain: { id: "d1" },
    },
  ],
  [
    "OS_USER_ID",
    { OS_USER_ID: "u1" },
    { id: "u1" },
    { user: { id: "u1", name: "pipeline", domain: account }, account },
  ],
];

test.each(REFERENCES)(
  "the domains and ids are those of an openrc with %s",
  async (_name, more, user, references) => {
    const described = await describeWith({}, { ...VARIABLES, ...more });
    expect(described).toMatchObject({ references });
    if ("user" in references) expect(described.references.user).toEqual(references.user);
    expect("user" in described && described.user).toEqual(user);
  },
);
