import { EmbeddedIdentityService } from "../../lib/testing";
import { defined } from "../../lib/tokens";
import {
  CATALOG,
  CREDENTIALS,
  type CredentialName,
  endOf,
  type IdentityUnderTest,
  LOCKOUT,
  PASSWORD_ENDS,
  PROJECTS,
  PROVIDERS,
  USERS,
  type UserName,
  type WantedCredential,
} from "./identity-under-test";

const PERMISSIONS: Partial<
  Record<UserName, { readonly account?: boolean; readonly projects?: readonly string[] }>
> = {
  "svc-projects-only": { projects: [PROJECTS.permitted] },
  "svc-no-permission": {},
};

/** The password that the twin's users have. */
export function twinPasswordOf(user: string): string {
  const password = `canary-pä"ss\\wörd-密码-🔑-of-${user}`;
  return user === "svc-long-password" ? `${"ä".repeat(40)}${password}` : password;
}

/** The configuration with the accounts and users that the real Keystone has. */
export function twinConfig() {
  return {
    accountId: "123456",
    projects: Object.values(PROJECTS),
    serviceUsers: USERS.map((name) => ({
      name,
      password: twinPasswordOf(name),
      permission: PERMISSIONS[name] ?? { account: true },
      enabled: name !== "svc-disabled",
      neverLocked: name !== "svc-lockout",
      passwordExpiresAt: PASSWORD_ENDS[name],
      mayValidate: name === "svc-validating",
      secondFactor: name === "svc-second-factor",
    })),
    identityProviders: PROVIDERS.map((provider) => ({
      ...provider,
      permission: provider.id === "ci" ? { account: true } : { projects: [PROJECTS.permitted] },
    })),
    // Keystone's own account: it exists, and svc has no permission for it.
    accounts: [{ accountId: "Default", serviceUsers: [] }],
    lockout: LOCKOUT,
  };
}

const credentialNames = Object.keys(CREDENTIALS) as readonly CredentialName[];

/** The embedded service with the accounts and users that the real Keystone has. */
export async function startEmbeddedTwin({ tls = false } = {}): Promise<IdentityUnderTest> {
  const secret = "canary-secret-of-a-credential";
  const ends = new Map(credentialNames.map((name) => [name, endOf(CREDENTIALS[name])]));
  const identity = await EmbeddedIdentityService.start({
    ...twinConfig(),
    applicationCredentials: credentialNames.map((name) => {
      const { endsInSeconds: _, ...wanted }: WantedCredential = CREDENTIALS[name];
      return {
        id: name,
        project: PROJECTS.permitted,
        secret,
        expiresAt: ends.get(name),
        ...wanted,
      };
    }),
    catalog: CATALOG,
    ...(tls ? { tls: "throw-away" as const } : {}),
  });
  return {
    authUrl: identity.authUrl,
    accountId: "123456",
    ca: identity.ca,
    user: "svc",
    projects: PROJECTS,
    exactTexts: true,
    federation: {
      authUrl: identity.authUrl,
      oidcToken: (options) => identity.oidcToken(options),
    },
    credential: async (name) => ({ id: name, name, secret, ...defined({ end: ends.get(name) }) }),
    passwordOf: twinPasswordOf,
    administrator: {
      disable: async (user) => identity.user(user).disable(),
      enable: async (user) => identity.user(user).enable(),
      changePassword: async (user, password) => identity.user(user).changePassword(password),
    },
    stop: () => identity.stop(),
  };
}
