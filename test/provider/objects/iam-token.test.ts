import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import {
  fingerprintOf,
  IamTokensError,
  ofProcess,
  Secret,
  setting,
  words,
} from "../../../lib/tokens";
import { BLOCK, brief, CANARY, eachIn, passwordIn, textOf, VARIABLES } from "../fixtures";
import { ACCOUNT, providerWith, refuses, SERVICE, type Setting, WEB } from "./prepared";

let folder: string;
eachIn((own) => {
  folder = own;
});

describe.each(["ephemeral", "data"] as const)("%s iam_token", (way) => {
  const prepare = (setting: Setting = {}) => {
    const { get, ...prepared } = providerWith(setting);
    return { ...prepared, get: (config: CtyObject) => get(way, config) };
  };

  test("that was issued is in no message, whatever argument it is given as", async () => {
    const { get, identity } = prepare();
    const token = `Issued-as-${way}/0123456789=`;
    identity.onIssue = async () => ({ token: Secret.of(token) });
    expect((await get(ACCOUNT)).result?.token).toBe(token);
    const destinations = [`https://a.example/${encodeURIComponent(token)}`];
    for (const wrong of [{ scope: token }, { destinations }]) {
      const said = textOf((await get({ ...ACCOUNT, ...wrong })).diagnostics);
      expect(said).toContain("(sensitive)");
      expect(said).not.toContain(token.slice(0, 12));
    }
  });

  test("has no id of an answer with a secret in it", async () => {
    const { get, identity } = prepare();
    const token = `Known-to-${way}-0123456789`;
    identity.onIssue = async () => ({
      token: Secret.of(token),
      userId: `u/${token}`,
      projectId: encodeURIComponent(token),
    });
    expect((await get(WEB)).result).toMatchObject({ project_id: null, user_id: null });
  });

  test("of an account has the contract's attributes", async () => {
    const { get, identity, context } = prepare();
    const config = { ...ACCOUNT, min_remaining: "2h" };
    const { result, diagnostics } = await get(config);
    expect(diagnostics).toEqual([]);
    expect(result).toEqual({
      ...config,
      token: CANARY.token,
      header_name: "X-Auth-Token",
      headers: { "X-Auth-Token": CANARY.token },
      kind: "iam_token_account_scoped",
      issued_at: "2026-01-02T03:04:05Z",
      expires_at: "2026-01-03T03:04:05Z",
      fingerprint: fingerprintOf(Secret.of(CANARY.token)),
      auth_url: SERVICE,
      project_id: null,
      user_id: "u1",
    });
    expect(identity.requests).toMatchObject([
      {
        way: "obtain",
        request: {
          scope: { kind: "account", account: { name: "123456" } },
          storedIn: way === "ephemeral" ? undefined : "state",
          minRemainingMs: 7_200_000,
          credential: { user: { name: "deployer", domain: { name: "123456" } } },
        },
      },
    ]);
    expect(passwordIn(identity.requests[0]?.request.credential)).toBe(CANARY.password);
    expect(identity.requests[0]?.signal).toBe(context.signal);
  });

  test("of a project requests that project, and only what is given", async () => {
    const { get, identity } = prepare();
    const { result } = await get(WEB);
    expect(result).toMatchObject({ ...WEB, kind: "iam_token_project_scoped", project_id: "p1" });
    const { request } = identity.requests[0] ?? {};
    const project = { name: "web", domain: { name: "123456" } };
    expect(request?.scope).toEqual({ kind: "project", project });
    const notGiven = { minRemainingMs: undefined, tls: undefined, retryForMs: undefined };
    expect(request).toMatchObject(notGiven);
  });

  test("turns the client's warnings into warnings", async () => {
    const { get, identity } = prepare();
    identity.onIssue = async () => ({ warnings: ["The clock is off by 5 min."] });
    const { result, diagnostics } = await get(ACCOUNT);
    expect(result).toBeDefined();
    expect(diagnostics).toEqual([
      {
        severity: "warning",
        summary: "An IAM token was issued with a warning",
        detail: "The clock is off by 5 min.",
      },
    ]);
  });

  test("a failure of the client is reported at the argument that it names, without what it was about", async () => {
    const rows: readonly (readonly [error: Error, says: string])[] = [
      [new IamTokensError("ERR_CREDENTIALS_REJECTED", "401."), "ERR_CREDENTIALS_REJECTED"],
      // Of the provider block: the token has an attribute of that name.
      [new IamTokensError("ERR_NAME_INVALID", setting("user_id")), "ERR_NAME_INVALID"],
      [
        new IamTokensError(
          "ERR_LIFETIME_TOO_SHORT",
          words`1 h, ${setting("min_remaining")} is 2 h.`,
        ),
        "ERR_LIFETIME_TOO_SHORT at min_remaining",
      ],
      [new RangeError(CANARY.password), "Internal error in the iam provider"],
    ];
    for (const [error, says] of rows) {
      const { get, identity, context } = prepare();
      identity.onIssue = () => Promise.reject(error);
      const { diagnostics } = await get(ACCOUNT);
      expect(brief(diagnostics)).toEqual([says]);
      const isOurs = error instanceof IamTokensError;
      const logged = "error unexpected failure { fault: 'RangeError' }";
      expect(context.logged).toEqual(isOurs ? [] : [logged]);
      expect(textOf(diagnostics)).not.toContain("canary");
      expect(textOf(diagnostics).includes("RangeError")).toBe(!isOurs);
    }
  });
});

// Both ways have one reading of their arguments: an ephemeral token shows it.

const prepare = (setting: Setting = {}) => {
  const { get, ...prepared } = providerWith(setting);
  return { ...prepared, get: (config: CtyObject) => get("ephemeral", config) };
};

test("asks for tries as long as the block's retry_for says", async () => {
  const rows = [
    ["0s", 0],
    ["2m", 120_000],
  ] as const;
  for (const [retry_for, retryForMs] of rows) {
    const { get, identity } = prepare({ block: { ...BLOCK, retry_for } });
    await get(ACCOUNT);
    expect(identity.requests[0]?.request.retryForMs).toBe(retryForMs);
  }
});

const domain = { name: "654321" };
test("with OS_PROJECT_NAME, requests the project that the block gives, and leaves the argument", async () => {
  const rows: readonly (readonly [given: CtyObject, scope: object])[] = [
    [
      { scope: "project" },
      { kind: "project", project: { name: "web", domain }, origin: ofProcess("OS_PROJECT_NAME") },
    ],
    [
      { scope: "project", project_name: "mine" },
      { kind: "project", project: { name: "mine", domain } },
    ],
    [
      { scope: "project", project_name: "mine", project_id: "abc" },
      { kind: "project", project: { id: "abc" } },
    ],
    [{ scope: "account" }, { kind: "account", account: domain }],
  ];
  for (const [given, scope] of rows) {
    const variables = { ...VARIABLES, OS_PROJECT_NAME: "web" };
    const { get, identity } = prepare({ block: {}, variables });
    const { result } = await get(given);
    expect(identity.requests[0]?.request.scope).toEqual(scope);
    expect(result).toMatchObject(given);
  }
});

test("of a project's id and name in the environment, the id is sent, and the name compared", async () => {
  const variables = { ...VARIABLES, OS_PROJECT_ID: "p1", OS_PROJECT_NAME: "project-b" };
  const { get, identity } = prepare({ block: {}, variables });
  await get({ scope: "project" });
  expect(identity.requests[0]?.request).toMatchObject({
    scope: { project: { id: "p1" }, origin: ofProcess("OS_PROJECT_ID") },
    expected: { project: { name: "project-b" } },
  });
});

const USER = { ...BLOCK, account_id: null, user_name: null, user_id: "u" };
const { OS_USERNAME: _, OS_USER_DOMAIN_NAME: __, ...REST } = VARIABLES;
const USER_VARIABLES = { ...REST, OS_USER_ID: "u" };
const CREDENTIAL = {
  auth_url: BLOCK.auth_url,
  application_credential_id: "a",
  application_credential_secret: CANARY.password,
};
const AUTH = `auth_url: "https://a.test/v3", user_id: u, password: ${CANARY.password}`;
const CLOUDS = `clouds:
  prod: { auth: { ${AUTH} } }
  shop: { auth: { ${AUTH}, project_name: shop, project_domain_name: "7" } }
`;
const PROJECT = { scope: "project" };
const noAccount = (what: string, where: string) =>
  `The account is not given, which ${what} needs.\nAdd ${where}.`;
test("without an account, a project or a scope that it needs, is refused with what is missing", async () => {
  const rows: readonly (readonly [Setting, CtyObject, says: string])[] = [
    [{ block: USER }, ACCOUNT, noAccount('scope = "account"', "account_id to the provider block")],
    [{ block: USER }, WEB, noAccount("a project by name", "account_id to the provider block")],
    [
      { block: {}, variables: USER_VARIABLES },
      ACCOUNT,
      noAccount('scope = "account"', "OS_DOMAIN_NAME"),
    ],
    [
      { block: {}, variables: USER_VARIABLES },
      WEB,
      noAccount("a project by name", "OS_PROJECT_DOMAIN_NAME"),
    ],
    [
      { block: { cloud: "prod" } },
      ACCOUNT,
      noAccount('scope = "account"', "domain_name to auth, in clouds.yaml"),
    ],
    [
      {},
      { ...ACCOUNT, project_id: "p" },
      'project_id is given with scope = "account".\nRemove it, or give scope = "project".',
    ],
    [{}, {}, 'scope is not given.\nAllowed: "account" and "project".'],
    [
      { block: CREDENTIAL },
      ACCOUNT,
      'Set scope = "project", or sign in with a password or an identity token.',
    ],
    [{}, PROJECT, 'is "project", but project_name is not given.\nGive project_name, or set scope'],
    [
      { block: {}, variables: { OS_CLOUD: "shop", OS_PROJECT_NAME: "web" } },
      PROJECT,
      "project_name is not given, and OS_PROJECT_NAME differs from project_name of the cloud",
    ],
    [
      { block: {}, variables: { OS_CLOUD: "shop", OS_PROJECT_NAME: "web" } },
      PROJECT,
      "Give project_name, or unset OS_PROJECT_NAME.",
    ],
  ];
  for (const [setting, config, says] of rows) {
    writeFileSync(join(folder, "clouds.yaml"), CLOUDS);
    const { get, identity } = prepare({ ...setting, workingFolder: folder });
    const said = textOf((await get(config)).diagnostics).replace(/ \[ERR_\w+\]\n/, ".\n");
    expect(said).toContain(says);
    expect(identity.requests).toEqual([]);
  }
});

test("with a user by id in the environment, needs the account's variable or the project's, and no more", async () => {
  const rows: readonly (readonly [CtyObject, variable: string])[] = [
    [ACCOUNT, "OS_DOMAIN_NAME"],
    [WEB, "OS_PROJECT_DOMAIN_NAME"],
  ];
  for (const [config, variable] of rows) {
    const { get } = prepare({ block: {}, variables: { ...USER_VARIABLES, [variable]: "7" } });
    expect((await get(config)).diagnostics).toEqual([]);
  }
});

test("is compared with whom and what the settings name, and with nothing that nobody said", async () => {
  const rows: readonly (readonly [CtyObject, CtyObject, expected: object])[] = [
    [
      { ...BLOCK, user_id: "u", user_domain_name: "corp", project_domain_id: "d" },
      { ...WEB, project_id: "p" },
      {
        user: { id: "u", name: "deployer", domain: { name: "corp" } },
        project: { id: "p", name: "web", domain: { id: "d" } },
      },
    ],
    // Of whom it signs in, nothing is known.
    [
      {
        ...{ auth_url: BLOCK.auth_url, account_id: "123456", oidc_token: CANARY.token },
        ...{ identity_provider: "github", protocol: "openid" },
      },
      ACCOUNT,
      { domain: { name: "123456" } },
    ],
    // What the account is the default of is not compared if an id says it exactly.
    [
      { ...BLOCK, user_id: "u" },
      { scope: "project", project_id: "p" },
      { user: { id: "u", name: "deployer" }, project: { id: "p" } },
    ],
    // Nobody said that the project of an application credential is in its user's account.
    ...(
      [
        [
          { user_name: "u", user_domain_name: "corp" },
          { user: { name: "u", domain: { name: "corp" } } },
        ],
        [
          { user_id: "u", project_domain_name: "shop" },
          { user: { id: "u" }, project: { name: "web", domain: { name: "shop" } } },
        ],
        [
          { user_id: "u", account_id: "7" },
          { user: { id: "u" }, project: { name: "web", domain: { name: "7" } } },
        ],
      ] as const
    ).map(([given, expected]): [CtyObject, CtyObject, object] => [
      {
        ...{ auth_url: BLOCK.auth_url, application_credential_name: "ci" },
        ...{ application_credential_secret: CANARY.password, ...given },
      },
      WEB,
      { project: { name: "web" }, ...expected },
    ]),
    [
      { ...BLOCK, account_domain_id: "d" },
      ACCOUNT,
      {
        user: { name: "deployer", domain: { id: "d", name: "123456" } },
        domain: { id: "d", name: "123456" },
      },
    ],
  ];
  for (const [block, config, expected] of rows) {
    const { get, identity } = prepare({ block });
    await get(config);
    expect(identity.requests[0]?.request.expected).toEqual(expected);
  }
});

test("has the project of the cloud that gives the credentials", async () => {
  const rows: readonly Setting[] = [
    { block: {}, variables: { OS_CLOUD: "shop" } },
    { block: {}, variables: { OS_CLOUD: "shop", OS_PROJECT_NAME: "shop" } },
    { block: { cloud: "shop" }, variables: { OS_PROJECT_NAME: "web" } },
  ];
  for (const setting of rows) {
    writeFileSync(join(folder, "clouds.yaml"), CLOUDS);
    const { get, identity } = prepare({ ...setting, workingFolder: folder });
    expect((await get(PROJECT)).diagnostics).toEqual([]);
    const project = { name: "shop", domain: { name: "7" } };
    expect(identity.requests[0]?.request.scope).toMatchObject({ project });
  }
});

test("is handed out for destinations under the base address", async () => {
  const rows: readonly (readonly [] | [string, string])[] = [
    ["https://a.test/v1/x", "https://a.test/v1"],
    [],
  ];
  for (const [...destinations] of rows) {
    const { get } = prepare({ block: { ...BLOCK, base_url: "https://a.test/v1" } });
    const { result } = await get({ ...ACCOUNT, destinations });
    expect(result).toMatchObject({ token: CANARY.token, destinations });
  }
});

test("under run says whose variables are meant", async () => {
  const { get } = prepare({ block: {}, attached: true });
  expect(textOf((await get(ACCOUNT)).diagnostics)).toContain("those of iam-tokens run when");
});

test("a failure of a construct's block is on no line", async () => {
  const { get, identity } = prepare({ block: { ...BLOCK, declared_by: "stack/identity" } });
  identity.onIssue = refuses("ERR_SERVICE_FAILED");
  expect(brief((await get(ACCOUNT)).diagnostics)).toEqual(["ERR_SERVICE_FAILED on no line"]);
});

test("reads the password anew each time: a file that changed is a changed password", async () => {
  const block = { ...BLOCK, password: null, password_file: join(folder, "password") };
  const { get, identity } = prepare({ block });
  for (const password of ["first", "second"]) {
    writeFileSync(block.password_file, `${password}\n`);
    await get(ACCOUNT);
    expect(passwordIn(identity.requests.at(-1)?.request.credential)).toBe(password);
  }
});
