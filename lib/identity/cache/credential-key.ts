import { createHmac, randomBytes } from "node:crypto";
import type { Secret } from "../../tokens";
import type { Credential, IssueRequest, Scope, TlsMaterial } from "../credential";

/** The identities of an attempt: of a credential for a scope, of its login, and of its user. */
export interface LoginKeys {
  readonly key: string;
  /** The same as the key if it has no scope. */
  readonly login: string;
  /** Who signs in, without the secret. The same as the login if that is tested by itself. */
  readonly user: string;
}

type Login = Pick<IssueRequest, "credential" | "tls">;

/**
 * Identities of credentials and requests: all of their parts, with a keyed digest for each secret.
 * A map contains neither a secret nor a value that can be compared with one elsewhere.
 */
export class CredentialKeys {
  readonly #processKey = randomBytes(32);

  /** The identity of a request: of its credential, scope and certificates. */
  of({ credential, scope, tls }: IssueRequest): LoginKeys {
    const { user, login } = this.#whoOf(credential);
    // No scope is sent with an application credential: a refusal of it applies to whatever is
    // expected.
    const sent = credential.way === "application credential" ? [] : scopeParts(scope);
    const key = this.ofService(login, tls, ...sent);
    // The login with an identity token is the sign-in, which is tested by itself.
    return credential.way === "identity token" ? sameFor(key) : { key, login, user };
  }

  /** The identity of a sign-in, with the identity token that it is tried with, if that matters. */
  ofSignIn({ credential, tls }: Login, identityToken?: Secret): string {
    const token = identityToken && this.digest(identityToken);
    return this.ofService(this.#whoOf(credential).login, tls, "sign-in", token);
  }

  /** The identity of an address, the certificates of the requests to it, and what else matters. */
  ofService(address: string, tls: TlsMaterial | undefined, ...more: readonly unknown[]): string {
    const { ca, cert, key } = tls ?? {};
    return JSON.stringify([address, ca, cert, key && this.digest(key), ...more]);
  }

  /** The digest that stands for a secret in a key. */
  digest(secret: Secret): string {
    return createHmac("sha256", this.#processKey).update(secret.reveal()).digest("base64");
  }

  /** The user, and with the secret or its place. */
  #whoOf({ authUrl, ...who }: Credential): Pick<LoginKeys, "user" | "login"> {
    // JSON prints each `Secret` alike, and leaves out functions.
    const { origin, place, ...subject } =
      who.way === "identity token" ? who : { ...who, origin: "", place: who.secret };
    const user = JSON.stringify([authUrl.v3, subject]);
    const own = typeof place === "string" ? place : [this.digest(place)];
    return { user, login: JSON.stringify([user, own]) };
  }
}

/** The key of a token among those of a credential: of its scope, and of what was checked. */
export function wantedKey({ scope, expected }: IssueRequest): string {
  return JSON.stringify([...scopeParts(scope), expected]);
}

/** The identities of a login that is tested by itself. */
export const sameFor = (key: string): LoginKeys => ({ key, login: key, user: key });

const scopeParts = (scope: Scope): readonly unknown[] => [
  scope.kind,
  scope.kind === "account" ? scope.account : scope.project,
];
