import { EmbeddedIdentityService } from "../../lib/testing";
import { type IdentityUnderTest, PROJECTS, USERS, type UserName } from "./identity-under-test";

/** The embedded service with the accounts and users that the real Keystone has. */
export async function startEmbeddedTwin({ tls = false } = {}): Promise<IdentityUnderTest> {
  const passwordOf = (user: UserName) => `canary-pä"ss\\wörd-密码-🔑-of-${user}`;
  const permissions: Record<UserName, { readonly account?: boolean; readonly projects?: readonly string[] }> = {
    svc: { account: true },
    "svc-projects-only": { projects: [PROJECTS.permitted] },
    "svc-no-permission": {},
    "svc-disabled": { account: true },
    "svc-ünïcode-用户": { account: true },
  };
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    projects: Object.values(PROJECTS),
    serviceUsers: USERS.map((name) => ({
      name,
      password: passwordOf(name),
      permission: permissions[name],
      enabled: name !== "svc-disabled",
    })),
    // Keystone's own account: it exists, and svc has no permission for it.
    accounts: [{ accountId: "Default", serviceUsers: [] }],
    ...(tls ? { tls: "throw-away" as const } : {}),
  });
  return { authUrl: identity.authUrl, accountId: "123456", ca: identity.ca, passwordOf, stop: () => identity.stop() };
}
