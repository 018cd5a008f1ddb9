import type { EmbeddedIdentityService } from "../../lib/testing";

/** What a test asks for; every member that is left out is right. */
export interface Asked {
  readonly account?: string;
  readonly user?: string;
  readonly password?: string;
  readonly scope?: unknown;
}

export const PASSWORD = "canary-password-of-deployer";
export const ACCOUNT_SCOPE = { domain: { name: "123456" } };

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
