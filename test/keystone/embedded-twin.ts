import { EmbeddedIdentityService } from "../../lib/testing";
import {
  CREDENTIALS,
  type CredentialName,
  endOf,
  type IdentityUnderTest,
  optionsOf,
  PROJECTS,
  PROVIDERS,
  USERS,
  type UserName,
} from "./identity-under-test";

const PERMISSIONS: Partial<Record<UserName, object>> = {
  "svc-projects-only": { projects: [PROJECTS.permitted] },
  "svc-no-permission": {},
  "svc-changing": { projects: [PROJECTS.other] },
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const PASSWORD_ENDS: Partial<Record<UserName, string>> = {
  "svc-first-password": inDays(-1),
  "svc-ending-password": inDays(7),
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
      passwordExpiresAt: PASSWORD_ENDS[name],
      secondFactor: name === "svc-second-factor",
    })),
    applicationCredentials: names.map((name) => ({
      id: name,
      user: optionsOf(name).user,
      project: PROJECTS.permitted,
      secret,
      accessRules: optionsOf(name).accessRules,
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
    admin: {
      enableProject: async (on) => identity.project(PROJECTS.other)[on ? "enable" : "disable"](),
      enableUser: async (on) => identity.user("svc-changing")[on ? "enable" : "disable"](),
      permit: async (on) =>
        identity.user("svc-changing").permit({ projects: on ? [PROJECTS.other] : [] }),
    },
    passwordOf,
    stop: () => identity.stop(),
  };
}
