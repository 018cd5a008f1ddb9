import { createHmac } from "node:crypto";
import type { IssueRequest } from "../credential";

/**
 * Identity of a request: address, account, user, password, scope and certificates. A keyed digest:
 * the map contains neither the password nor a value that can be compared with one elsewhere.
 */
export function credentialKey(request: IssueRequest, processKey: Uint8Array): string {
  const { credential, scope, tls } = request;
  const parts = [
    credential.authUrl.v3,
    credential.accountId,
    credential.userName,
    credential.password.reveal(),
    scope.kind,
    scope.kind === "project" ? scope.projectName : null,
    tls?.ca ?? null,
    tls?.cert ?? null,
    tls?.key?.reveal() ?? null,
  ];
  return createHmac("sha256", processKey).update(JSON.stringify(parts)).digest("base64");
}
