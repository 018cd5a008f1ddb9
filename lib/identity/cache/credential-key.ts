import { createHmac, randomBytes } from "node:crypto";
import type { Secret } from "../../tokens";
import type { Credential, IssueRequest, Scope, TlsMaterial } from "../credential";

/** The digests of an attempt: of a credential for a scope, of its login, and of its user. */
export interface Tried {
  readonly key: string;
  /** The same as the key if it has no scope. */
  readonly login: string;
  /** Who signs in, without the secret. The same as the login if that is tested by itself. */
  readonly user: string;
}

type Login = Pick<IssueRequest, "credential" | "tls">;

/**
 * Identities of credentials and requests, as keyed digests of all of their parts: a map contains
 * neither a secret nor a value that can be compared with one elsewhere.
 */
export class CredentialKeys {
  readonly #processKey = randomBytes(32);

  /** The identity of a request: of its credential, scope and certificates. */
  of({ credential, scope, tls }: IssueRequest): Tried {
    const [who, secret] = partsOf(credential);
    const parts = [...who, secret];
    // No scope is sent with an application credential: a refusal of it applies to whatever is
    // expected.
    const sent = credential.way === "application credential" ? [] : scopeParts(scope);
    const key = this.digest([...parts, ...sent, ...tlsParts(tls)]);
    // The login with an identity token is the sign-in, which is tested by itself.
    return credential.way === "identity token"
      ? sameFor(key)
      : { key, login: this.digest(parts), user: this.digest(who) };
  }

  /** The identity of a sign-in, with the identity token that it is tried with, if that matters. */
  ofSignIn({ credential, tls }: Login, identityToken?: Secret): string {
    const parts = [...partsOf(credential), ...tlsParts(tls)];
    return this.digest(["sign-in", ...parts, identityToken?.reveal()]);
  }

  /** The identity of a service: of an address, and the certificates of the requests to it. */
  ofService(address: string, tls: TlsMaterial | undefined): string {
    return this.digest([address, ...tlsParts(tls)]);
  }

  /** A missing part counts as null. */
  digest(parts: readonly unknown[]): string {
    const text = JSON.stringify(parts);
    return createHmac("sha256", this.#processKey).update(text).digest("base64");
  }
}

/** The key of a token among those of a credential: of its scope, and of what was checked. */
export function wantedKey({ scope, expected }: IssueRequest): string {
  return JSON.stringify([...scopeParts(scope), expected]);
}

/** Those of a login that is tested by itself. */
export const sameFor = (key: string): Tried => ({ key, login: key, user: key });

/**
 * The parts by which two credentials differ: the user, and the secret or its place. JSON would
 * print each `Secret` alike, and leave out functions.
 */
function partsOf({ authUrl, ...who }: Credential): readonly [readonly unknown[], unknown] {
  if (who.way !== "identity token") return [[authUrl.v3, who], who.secret.reveal()];
  const { origin, place, ...subject } = who;
  return [[authUrl.v3, subject], typeof place === "string" ? place : [place.reveal()]];
}

const scopeParts = (scope: Scope): readonly unknown[] => [
  scope.kind,
  scope.kind === "account" ? scope.account : scope.project,
];

const tlsParts = ({ ca, cert, key }: TlsMaterial = {}) => [ca, cert, key?.reveal()];
