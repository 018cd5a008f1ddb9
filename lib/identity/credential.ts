import type { AuthUrl, Secret, Text } from "../tokens";
import { type Domain, domainOf, type Expected, type Project, type User } from "./references";

/** Who signs in, by the ways of `tokens/ways.ts`: without address and secret. */
export type Subject =
  | {
      /** A service user. */
      readonly way: "password";
      readonly user: User;
    }
  | {
      /** Keystone's: for one project, and for a part of its user's roles there. */
      readonly way: "application credential";
      /** A name is unique only among those of one user. */
      readonly by: { readonly id: string } | { readonly name: string; readonly user: User };
    }
  | {
      /** The user of an identity token (a JWT, OpenID Connect), by Keystone's federation. */
      readonly way: "identity token";
      /** Keystone's ids of the identity provider and of its protocol. */
      readonly identityProvider: string;
      readonly protocol: string;
    };

/** The user whom a request names. Of an identity token, it is whom the mapping says. */
export function userOf(subject: Subject): User | undefined {
  if (subject.way === "password") return subject.user;
  return subject.way === "identity token" || "id" in subject.by ? undefined : subject.by.user;
}

type SubjectOf<Name extends Subject["way"]> = Extract<Subject, { way: Name }> & {
  readonly authUrl: AuthUrl;
};

/** A service user with its password, or an application credential with its secret. */
type SecretCredential = SubjectOf<"password" | "application credential"> & {
  readonly secret: Secret;
};

/** The identity token of a pipeline or a workload. */
export type FederatedCredential = SubjectOf<"identity token"> & {
  /**
   * The place of the identity token: two credentials with the same place are the same. Of a value,
   * the value. Not part of messages.
   */
  readonly place: string | Secret;
  /** The place's name in messages. */
  readonly origin: Text;
  /** Reads the identity token: once for each sign-in, because it lives minutes. */
  readonly readToken: (signal: AbortSignal) => Promise<Secret>;
};

/** A way of signing in, with the service and all parts of the way. */
export type Credential = SecretCredential | FederatedCredential;

/** A federated credential that has signed in. */
export type SignedIn = SubjectOf<"identity token"> &
  Pick<FederatedCredential, "origin"> & {
    /** The unscoped token, which requests the scoped ones. */
    readonly secret: Secret;
  };

/** The part of a token request that proves who sends it. */
export type Proof = SecretCredential | SignedIn;

/**
 * Scope of the token: the account, or one of its projects.
 *
 * @see test/tokens/spec/request-authentication.md, "Token kinds"
 */
export type Scope =
  | { readonly kind: "account"; readonly account: Domain }
  | {
      readonly kind: "project";
      /** Absent: the own project of an application credential, the only one that it has. */
      readonly project?: Project;
      /** The place of the project, for messages, if it is not the block: OS_PROJECT_NAME. */
      readonly origin?: Text;
    };

/** The account of a scope: itself, or the one of a project by its name. */
export function accountOf(scope: Scope): Domain | undefined {
  return scope.kind === "account" ? scope.account : domainOf(scope.project);
}

/** Certificates as PEM text. */
export interface TlsMaterial {
  /**
   * The CAs for the service's certificate, INSTEAD of the public ones (as with OS_CACERT and curl's
   * --cacert): whoever names a private CA does not want a public one to vouch for the same host.
   */
  readonly ca?: string;
  /** Our certificate, with its chain. Needs `key`. */
  readonly cert?: string;
  readonly key?: Secret;
}

/** The caller's words for what a message advises to correct. */
export interface Terms {
  readonly minRemaining: Text;
  readonly projectId: Text;
  /** The names of the arguments for project and account. */
  readonly given: Text;
  /** Where a user of a password finds what belongs to it. */
  readonly whereabouts?: Text;
}

/** Terms for a caller without words of its own. */
export const PLAIN: Terms = {
  minRemaining: "the required lifetime",
  projectId: "an id",
  given: "the project, the account or a domain",
};

/** A request for a token. */
export interface IssueRequest {
  readonly credential: Credential;
  readonly scope: Scope;
  readonly expected?: Expected;
  readonly tls?: TlsMaterial | undefined;
  /**
   * Minimum remaining lifetime in milliseconds. By default a cached token is reused while 2 hours,
   * or half of a shorter lifetime, are left.
   */
  readonly minRemainingMs?: number | undefined;
  /** Milliseconds for all attempts, 0 for one attempt. @default 20 s */
  readonly retryForMs?: number | undefined;
  readonly terms?: Terms;
  /**
   * A word for the place where the token will be stored. Tokens of one place are never shared with
   * another: otherwise whoever reads that place would have the token of a caller in memory. A token
   * whose scope and end are not known is not stored.
   *
   * @default - only in memory
   */
  readonly storedIn?: string | undefined;
}

/** A token that revokes itself. */
export interface RevokeRequest extends Pick<IssueRequest, "tls" | "retryForMs"> {
  readonly authUrl: AuthUrl;
  readonly token: Secret;
}
