import type { Domain, Credential as Proof, TlsMaterial, User } from "../../lib/identity";
import type { OidcTokenOptions } from "../../lib/testing";
import { parseAuthUrl, Secret } from "../../lib/tokens";
import { DOMAIN } from "../identity/support/wanted";

/**
 * An identity service that the contract of our client holds for: the embedded one, or a Keystone.
 */
export interface IdentityUnderTest {
  /** As a user gives it: without `/identity/v3`. */
  readonly authUrl: string;
  readonly accountId: string;
  /** With https: the CA to trust, as PEM. */
  readonly ca: string | undefined;
  /** Where identity tokens are accepted, and how one is made. */
  readonly federation?: {
    /** Another address of the same service, if Apache is in front of that alone. */
    readonly authUrl: string;
    oidcToken(options: OidcTokenOptions): string;
  };
  credential(name: CredentialName): Promise<Credential>;
  /** An administrator's changes of `svc-changing`, and of its project. */
  readonly admin: {
    enableProject(on: boolean): Promise<void>;
    enableUser(on: boolean): Promise<void>;
    permit(on: boolean): Promise<void>;
    /** The rule by which an application credential is enough; a real Keystone's. */
    allowApplicationCredentials?(): Promise<void>;
  };
  passwordOf(user: string): string;
  stop(): Promise<void>;
}

/** The projects of the account. */
export const PROJECTS = { permitted: "project-a", other: "project-b" } as const;

/**
 * The service users, the same in both services. All have the access area Account, but
 * `svc-projects-only`, which has the permitted project alone, `svc-changing`, which has the other
 * one, and `svc-no-permission`. Two have passwords that end: one that was never changed, and one in
 * a week.
 */
export const USERS = [
  "svc",
  "svc-projects-only",
  "svc-no-permission",
  "svc-disabled",
  "svc-ünïcode-用户",
  "svc-first-password",
  "svc-ending-password",
  "svc-second-factor",
  "svc-changing",
] as const;
/** `partner` lives in the account 654321, and has the access area Account in this one. */
export type UserName = (typeof USERS)[number] | "partner";

/** An application credential for the permitted project. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  /** RFC 3339; undefined without an end. */
  readonly end: string | undefined;
}

interface CredentialOptions {
  readonly user: UserName;
  /** Until it ends. */
  readonly seconds?: number;
  /** Rules for another service. */
  readonly accessRules?: true;
}

/** The application credentials, by their names for the rows. */
export const CREDENTIALS = {
  usual: { user: "svc" },
  ending: { user: "svc", seconds: 3_600 },
  ended: { user: "svc", seconds: 3 },
  ruled: { user: "svc", accessRules: true },
  "second-factor": { user: "svc-second-factor" },
} as const satisfies Record<string, CredentialOptions>;
export type CredentialName = keyof typeof CREDENTIALS;
export const optionsOf = (name: CredentialName): CredentialOptions => CREDENTIALS[name];

/** The end of one that is made now, in Keystone's form. */
export function endOf(name: CredentialName): string | undefined {
  const { seconds } = optionsOf(name);
  if (seconds === undefined) return undefined;
  return new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, ".000000Z");
}

/**
 * The identity providers: the users of the first have the access area Account; those of the second
 * have the permitted project alone, and have to name an audience.
 */
export const PROVIDERS = [
  { id: "ci", protocol: "openid", issuer: "https://issuer.example", audience: undefined },
  {
    id: "ci-projects",
    protocol: "openid",
    issuer: "https://projects.issuer.example",
    audience: "https://keystone.example",
  },
] as const;

/** What a request to it needs besides: its address, and the CA to trust. */
export const at = ({ authUrl }: Pick<IdentityUnderTest, "authUrl">) => ({
  authUrl: parseAuthUrl(authUrl),
});
export const tlsOf = ({ ca }: IdentityUnderTest): { readonly tls?: TlsMaterial } =>
  ca === undefined ? {} : { tls: { ca } };

/** A user who signs in; `changed` is what is not as the service has it. */
export const password =
  (name: UserName | "no-such", changed: { secret?: string; domain?: Domain; id?: string } = {}) =>
  async (service: IdentityUnderTest): Promise<Proof> => ({
    ...at(service),
    way: "password",
    user:
      changed.id === undefined ? { name, domain: changed.domain ?? DOMAIN } : { id: changed.id },
    secret: Secret.of(changed.secret ?? service.passwordOf(name)),
  });

export const credential =
  (name: CredentialName, changed: Partial<Credential> = {}, user?: User) =>
  async (service: IdentityUnderTest): Promise<Proof> => {
    const made = await service.credential(name);
    while (name === "ended" && Date.now() < Date.parse(made.end ?? ""))
      await new Promise((resolve) => setTimeout(resolve, 100));
    const given = { ...made, ...changed };
    return {
      ...at(service),
      way: "application credential",
      by: user === undefined ? { id: given.id } : { name: given.name, user },
      secret: Secret.of(given.secret),
    };
  };
