import type { EmbeddedIdentityService, InProcessIdentityConfig } from "../../lib/testing";

/** A test's token request; every member that is left out is right. */
export interface Asked {
  readonly account?: string;
  readonly user?: string;
  readonly password?: string;
  readonly scope?: unknown;
}

export const PASSWORD = "canary-password-of-deployer";
export const ACCOUNT_SCOPE = { domain: { name: "123456" } };

/** Accounts, and users of every permission. */
export const ACCOUNTS: InProcessIdentityConfig = {
  accountId: "123456",
  projects: ["archive"],
  serviceUsers: [
    { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
    {
      name: "web-only",
      password: "canary-password-of-web-only",
      permission: { projects: ["web"] },
    },
    { name: "nobody", password: "canary-password-of-nobody" },
    {
      name: "gone",
      password: "canary-password-of-gone",
      permission: { account: true },
      enabled: false,
    },
    {
      name: "svc-ünïcode-用户",
      password: 'pä"ss\\wörd-密码-🔑',
      permission: { account: true },
    },
  ],
  controlPanelUsers: [{ name: "owner", password: "canary-password-of-owner" }],
  accounts: [
    {
      accountId: "654321",
      serviceUsers: [
        {
          name: "deployer",
          password: "canary-password-elsewhere",
          permission: { account: true },
        },
      ],
      projects: ["shop"],
    },
  ],
};

export function projectScope(name: string, account = "123456"): object {
  return { project: { name, domain: { name: account } } };
}

/** The body of the spec's token request. */
export function authBody({
  account = "123456",
  user = "deployer",
  password = PASSWORD,
  ...more
}: Asked = {}): object {
  const scope = "scope" in more ? more.scope : ACCOUNT_SCOPE;
  return {
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { name: user, domain: { name: account }, password } },
      },
      scope,
    },
  };
}

/** Sends any text to where tokens are issued. */
export function post(
  identity: EmbeddedIdentityService,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${identity.keystoneUrl}/auth/tokens`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

export async function issue(identity: EmbeddedIdentityService, asked: Asked = {}): Promise<string> {
  const answer = await post(identity, JSON.stringify(authBody(asked)));
  if (answer.status !== 201)
    throw new Error(`No token was issued: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return answer.headers.get("x-subject-token") ?? "";
}

/** GET, HEAD or DELETE of a token. */
export function askAbout(
  identity: EmbeddedIdentityService,
  method: string,
  caller: string | undefined,
  subject: string | undefined,
): Promise<Response> {
  return fetch(`${identity.keystoneUrl}/auth/tokens`, {
    method,
    headers: {
      ...(caller === undefined ? {} : { "X-Auth-Token": caller }),
      ...(subject === undefined ? {} : { "X-Subject-Token": subject }),
    },
  });
}
