import type { OidcTokenOptions } from "../../lib/testing";

/**
 * An identity service that the shared cases run against: a real Keystone, the embedded service, or
 * an operator's.
 */
export interface IdentityUnderTest {
  /** As a user gives it: without `/identity/v3`. */
  readonly authUrl: string;
  readonly accountId: string;
  /** With https: the CA to trust, as PEM. */
  readonly ca: string | undefined;
  /** The user that may be issued account tokens. */
  readonly user: string;
  /** Projects of the account: one that the user may be issued tokens for, and another. */
  readonly projects: {
    readonly permitted?: string | undefined;
    readonly other?: string | undefined;
  };
  /** Where identity tokens are accepted, and how one is made. */
  readonly federation?: {
    /** Another address of the same service, if Apache is in front of that alone. */
    readonly authUrl: string;
    oidcToken(options: OidcTokenOptions): string;
  };
  /** An application credential. Not there at a service that is not ours. */
  credential?(name: CredentialName): Promise<Credential>;
  passwordOf(user: string): string;
  /** Whether messages are compared word by word: they change from version to version. */
  readonly exactTexts: boolean;
  /** Actions of an administrator. Not there where nothing may be changed. */
  readonly administrator?: {
    disable(user: string): Promise<void>;
    enable(user: string): Promise<void>;
    changePassword(user: string, password: string): Promise<void>;
  };
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
 * - `svc-ünïcode-用户` has the access area Account;
 * - `svc-long-password` has the access area Account, and a password of more than 72 bytes;
 * - `svc-lockout` has the access area Account, and alone is locked by wrong passwords;
 * - `svc-changing` has the access area Account; a case changes its password;
 * - `svc-leaving` has the access area Account; a case disables it;
 * - `svc-expiring` has the access area Account, and a password with an end in the future;
 * - `svc-expired` has the access area Account, and a password whose end is past;
 * - `svc-validating` has the access area Account, and may validate other users' tokens;
 * - `svc-second-factor` has the access area Account, and needs a passcode in addition;
 * - `svc-with-credential` has the access area Account; a case changes its password and disables it.
 */
export const USERS = [
  "svc",
  "svc-projects-only",
  "svc-no-permission",
  "svc-disabled",
  "svc-ünïcode-用户",
  "svc-long-password",
  "svc-lockout",
  "svc-changing",
  "svc-leaving",
  "svc-expiring",
  "svc-expired",
  "svc-validating",
  "svc-second-factor",
  "svc-with-credential",
] as const;
export type UserName = (typeof USERS)[number];

/** An application credential for the permitted project. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  /** In Keystone's form. */
  readonly end?: string;
}

/** One that is not made yet. */
export interface WantedCredential {
  readonly user: UserName;
  readonly endsInSeconds?: number;
  readonly unrestricted?: true;
}

/** The application credentials, by their names for the cases. */
export const CREDENTIALS = {
  usual: { user: "svc" },
  ending: { user: "svc", endsInSeconds: 3_600 },
  // After the token.
  "ending late": { user: "svc", endsInSeconds: 200_000 },
  // A real service may be slow.
  "ending soon": { user: "svc", endsInSeconds: 15 },
  unrestricted: { user: "svc", unrestricted: true },
  "of a changing user": { user: "svc-with-credential" },
} as const satisfies Readonly<Record<string, WantedCredential>>;
export type CredentialName = keyof typeof CREDENTIALS;

/** The end of one that is made now; undefined without an end. */
export function endOf({ endsInSeconds: seconds }: WantedCredential): string | undefined {
  if (seconds === undefined) return undefined;
  return new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, ".000000Z");
}

/**
 * The identity providers: the users of the first have the access area Account; those of the second
 * have the access area Projects with the permitted one chosen, and have to name an audience.
 */
export const PROVIDERS = [
  { id: "ci", protocol: "openid", issuer: "https://issuer.example" },
  {
    id: "ci-projects",
    protocol: "openid",
    issuer: "https://projects.issuer.example",
    audience: "https://keystone.example",
  },
] as const;

/** Services in the catalog besides the identity service. */
export const CATALOG = [
  {
    type: "compute",
    name: "nova",
    endpoints: [
      { interface: "public", region_id: "RegionOne", url: "http://127.0.0.1:8774/v2.1" },
      {
        interface: "internal",
        region_id: "RegionOne",
        url: "http://127.0.0.1:8774/v2.1/%(tenant_id)s/%(user_id)s",
      },
    ],
  },
  {
    type: "object-store",
    name: "",
    endpoints: [
      { interface: "public", region_id: null, url: "http://127.0.0.1:8080/%%41/$(project_id)s" },
    ],
  },
] as const;

/** Ends of passwords. */
export const PASSWORD_ENDS: Partial<Record<UserName, string>> = {
  "svc-expiring": "2037-12-31T12:34:56Z",
  "svc-expired": "2020-01-31T12:34:56Z",
};

/**
 * Wrong passwords until a user is locked, and for how long: one case waits for the end, by the
 * machine's clock, and asks once before it, which must not take as long.
 */
export const LOCKOUT = { failures: 3, seconds: 4 } as const;
