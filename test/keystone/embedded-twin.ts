import { EmbeddedIdentityService } from "../../lib/testing";
import {
  CREDENTIALS,
  type CredentialName,
  endOf,
  type IdentityUnderTest,
  PROJECTS,
  PROVIDERS,
  USERS,
  type UserName,
} from "./identity-under-test";

const PERMISSIONS: Partial<Record<UserName, object>> = {
  "svc-projects-only": { projects: [PROJECTS.permitted] },
  "svc-no-permission": {},
};

const passwordOf = (user: string) => `canary-pä"ss\\wörd-密码-🔑-of-${user}`;

/** The embedded service with the account, users and identity providers of the real Keystone. */
export async function startEmbeddedTwin(): Promise<IdentityUnderTest> {
  const secret = "canary-secret-of-a-credential";
  const names = Object.keys(CREDENTIALS) as CredentialName[];
  const ends = new Map(names.map((name) => [name, endOf(name)]));
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    projects: Object.values(PROJECTS),
    serviceUsers: [...USERS, "partner" as const].map((name) => ({
      name,
      accountId: name === "partner" ? "654321" : undefined,
      password: passwordOf(name),
      permission: PERMISSIONS[name] ?? { account: true },
      enabled: name !== "svc-disabled",
    })),
    applicationCredentials: names.map((name) => ({
      id: name,
      user: "svc",
      project: PROJECTS.permitted,
      secret,
      expiresAt: ends.get(name),
    })),
    identityProviders: PROVIDERS.map((provider) => ({
      ...provider,
      permission: provider.id === "ci" ? { account: true } : { projects: [PROJECTS.permitted] },
    })),
  });
  const { authUrl } = identity;
  return {
    authUrl,
    accountId: "123456",
    ca: undefined,
    federation: { authUrl, oidcToken: (options) => identity.oidcToken(options) },
    credential: async (name) => ({ id: name, name, secret, end: ends.get(name) }),
    passwordOf,
    stop: () => identity.stop(),
  };
}
