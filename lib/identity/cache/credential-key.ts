import { createHmac } from "node:crypto";
import type { PasswordCredential, PasswordRequest } from "../credential";

/**
 * Identity of a request: address, account, user, password, scope and certificates. A keyed digest:
 * the map contains neither the password nor a value that can be compared with one elsewhere.
 */
export function credentialKey(request: PasswordRequest, processKey: Uint8Array): string {
  const { credential, scope, tls } = request;
  return digest(processKey, [
    ...partsOf(credential),
    scope.kind,
    scope.kind === "project" ? (scope.projectName ?? null) : null,
    tls?.ca ?? null,
    tls?.cert ?? null,
    tls?.key?.reveal() ?? null,
  ]);
}

/** The same for what a service checks before the scope: address, account, user, password. */
export function loginKey(credential: PasswordCredential, processKey: Uint8Array): string {
  return digest(processKey, partsOf(credential));
}

const partsOf = ({ authUrl, accountId, userName, password }: PasswordCredential) => [
  authUrl.v3,
  accountId,
  userName,
  password.reveal(),
];

function digest(processKey: Uint8Array, parts: readonly (string | null)[]): string {
  return createHmac("sha256", processKey).update(JSON.stringify(parts)).digest("base64");
}
