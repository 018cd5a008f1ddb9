import { createHmac, randomBytes } from "node:crypto";
import { Secret } from "../../tokens";
import type { Credential, IssueRequest, Scope, TlsMaterial } from "../credential";

/** The identities of an attempt: of a credential for a scope, of its login, and of its user. */
export interface Tried {
  readonly key: string;
  /** The same as the key if it has no scope. */
  readonly login: string;
  /** Who signs in, without the secret. The same as the login if that is tested by itself. */
  readonly user: string;
}

type Login = Pick<IssueRequest, "credential" | "tls">;

/**
 * Identities of credentials and requests: all of their parts, with a keyed digest for each secret.
 * A map contains neither a secret nor a value of one that can be compared with one elsewhere.
 */
export class CredentialKeys {
  readonly #processKey = randomBytes(32);
  /** A digest costs more than all else of a key. */
  readonly #digests = new WeakMap<Secret | TlsMaterial, string>();

  /** The identity of a request: of its credential, scope and certificates. */
  of({ credential, scope, tls }: IssueRequest): Tried {
    const { user, login } = this.#whoOf(credential);
    // No scope is sent with an application credential: a refusal of it applies to whatever is
    // expected.
    const sent = credential.way === "application credential" ? [] : scopeParts(scope);
    const key = JSON.stringify([login, ...sent, this.digest(tls)]);
    // The login with an identity token is the sign-in, which is tested by itself.
    return credential.way === "identity token" ? sameFor(key) : { key, login, user };
  }

  /** The identity of a sign-in, with the identity token that it is tried with, if that matters. */
  ofSignIn({ credential, tls }: Login, identityToken?: Secret): string {
    const { login } = this.#whoOf(credential);
    return JSON.stringify(["sign-in", login, this.digest(tls), this.digest(identityToken)]);
  }

  /** The identity of a service: of an address, and the certificates of the requests to it. */
  ofService(address: string, tls: TlsMaterial | undefined): string {
    return JSON.stringify([address, this.digest(tls)]);
  }

  /** What stands for a secret, or for certificates, in a key. */
  digest(what: Secret | TlsMaterial | undefined): string | undefined {
    if (what === undefined) return undefined;
    const known = this.#digests.get(what);
    if (known !== undefined) return known;
    const text = what instanceof Secret ? what.reveal() : textOf(what);
    const digest = createHmac("sha256", this.#processKey).update(text).digest("base64");
    this.#digests.set(what, digest);
    return digest;
  }

  /** The parts by which two credentials differ: the user, and the secret or its place. */
  #whoOf({ authUrl, ...who }: Credential): Pick<Tried, "user" | "login"> {
    if (who.way !== "identity token") {
      const { secret, ...subject } = who;
      const user = JSON.stringify([authUrl.v3, subject]);
      return { user, login: JSON.stringify([user, this.digest(secret)]) };
    }
    // JSON leaves out the function that reads the token.
    const { origin, place, ...subject } = who;
    const user = JSON.stringify([authUrl.v3, subject]);
    const own = typeof place === "string" ? place : [this.digest(place)];
    return { user, login: JSON.stringify([user, own]) };
  }
}

/** The key of a token among those of a credential: of its scope, and of what was checked. */
export function wantedKey({ scope, expected }: IssueRequest): string {
  return JSON.stringify([...scopeParts(scope), expected]);
}

/** Those of a login that is tested by itself. */
export const sameFor = (key: string): Tried => ({ key, login: key, user: key });

const scopeParts = (scope: Scope): readonly unknown[] => [
  scope.kind,
  scope.kind === "account" ? scope.account : scope.project,
];

/** Printed as a part of JSON, each `Secret` would be alike. */
const textOf = ({ ca, cert, key }: TlsMaterial) => JSON.stringify([ca, cert, key?.reveal()]);
