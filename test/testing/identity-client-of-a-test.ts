import type { EmbeddedIdentityConfig } from "../../lib/testing";

/** A test's token request; every member that is left out is right. */
export interface Asked {
  readonly account?: string;
  readonly user?: string;
  readonly password?: string;
  readonly scope?: unknown;
}

export const PASSWORD = "canary-password-of-deployer";
const ACCOUNT_SCOPE = { domain: { name: "123456" } };

/** Accounts, and users of every permission. */
export const ACCOUNTS: EmbeddedIdentityConfig = {
  accountId: "123456",
  serviceUsers: [
    { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
    {
      name: "web-only",
      password: "canary-password-of-web-only",
      permission: { projects: ["web"] },
    },
    {
      name: "gone",
      password: "canary-password-of-gone",
      permission: { account: true },
      enabled: false,
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

/** The address of its Keystone. */
interface Service {
  readonly keystoneUrl: string;
}

/** Sends any text to where tokens are issued. */
export function post(identity: Service, body: string): Promise<Response> {
  return fetch(`${identity.keystoneUrl}/auth/tokens`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
  });
}

export const signIn = (identity: Service, asked: Asked = {}) =>
  post(identity, JSON.stringify(authBody(asked)));

export async function issue(identity: Service, asked: Asked = {}): Promise<string> {
  const answer = await signIn(identity, asked);
  if (answer.status !== 201)
    throw new Error(`No token was issued: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return answer.headers.get("x-subject-token") ?? "";
}

/** The status of GET or DELETE of a token. */
export async function statusOf(
  identity: Service,
  method: string,
  caller: string,
  subject: string,
): Promise<number> {
  const headers = { "X-Auth-Token": caller, "X-Subject-Token": subject };
  return (await fetch(`${identity.keystoneUrl}/auth/tokens`, { method, headers })).status;
}
