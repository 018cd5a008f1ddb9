import { createHmac } from "node:crypto";
import type { Secret } from "../../tokens";
import type { Credential, IssueRequest, TlsMaterial } from "../credential";

/**
 * Identity of a request: all parts of the credential, scope and certificates. A keyed digest: the
 * map contains neither a secret nor a value that can be compared with one elsewhere.
 *
 * No scope is sent with an application credential: a refusal of it applies to whatever is expected.
 */
export function credentialKey({ credential, scope, tls }: IssueRequest, processKey: Uint8Array) {
  const sent = credential.way === "application credential" ? [] : scopeParts({ scope });
  return digest(processKey, [...partsOf(credential), ...sent, ...tlsParts(tls)]);
}

/** The parts of the scope, which decide about a token's use. */
export function scopeParts({ scope }: Pick<IssueRequest, "scope">): readonly unknown[] {
  return [scope.kind, scope.kind === "account" ? scope.account : scope.project];
}

/** The key of a token among those of a credential: of its scope, and of what was checked. */
export function wantedKey({ scope, expected }: IssueRequest): string {
  return JSON.stringify([...scopeParts({ scope }), expected]);
}

/** The same for the credential alone. */
export function loginKey(credential: Credential, processKey: Uint8Array): string {
  return digest(processKey, partsOf(credential));
}

/** The same for a sign-in, with the identity token that it was tried with, if that matters. */
export function signInKey(
  { credential, tls }: Pick<IssueRequest, "credential" | "tls">,
  identityToken: Secret | undefined,
  processKey: Uint8Array,
): string {
  const parts = [...partsOf(credential), ...tlsParts(tls)];
  return digest(processKey, ["sign-in", ...parts, identityToken?.reveal()]);
}

/** The parts by which two credentials differ. */
function partsOf(credential: Credential): readonly unknown[] {
  const { way, authUrl } = credential;
  const parts = [way, authUrl.v3];
  switch (credential.way) {
    case "password":
      return [...parts, credential.user, credential.secret.reveal()];
    case "application credential":
      return [...parts, credential.by, credential.secret.reveal()];
    case "identity token": {
      const { identityProvider, protocol, place } = credential;
      const where = typeof place === "string" ? place : [place.reveal()];
      return [...parts, identityProvider, protocol, where];
    }
  }
}

const tlsParts = ({ ca, cert, key }: TlsMaterial = {}) => [ca, cert, key?.reveal()];

/** A keyed digest; what is missing counts as null. */
export function digest(processKey: Uint8Array, parts: readonly unknown[]): string {
  return createHmac("sha256", processKey).update(JSON.stringify(parts)).digest("base64");
}
