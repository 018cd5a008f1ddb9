/** An identity service that the shared scenarios run against: a real Keystone, or the embedded service. */
export interface IdentityUnderTest {
  /** As a user gives it: without `/identity/v3`. */
  readonly authUrl: string;
  readonly accountId: string;
  /** With https: what is to be trusted, as PEM. */
  readonly ca: string | undefined;
  passwordOf(user: UserName): string;
  stop(): Promise<void>;
}

/** The projects of the account. */
export const PROJECTS = { permitted: "project-a", other: "project-b" } as const;

/**
 * The service users, the same in both services:
 * - `svc` has the access area Account;
 * - `svc-projects-only` has the access area Projects with the permitted one chosen;
 * - `svc-no-permission` has neither;
 * - `svc-disabled` has the access area Account, and is disabled;
 * - `svc-ünïcode-用户` has the access area Account.
 */
export const USERS = ["svc", "svc-projects-only", "svc-no-permission", "svc-disabled", "svc-ünïcode-用户"] as const;
export type UserName = (typeof USERS)[number];
