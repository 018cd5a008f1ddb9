import type { IssuedToken } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { fingerprintOf, headerNameOf } from "../../tokens";
import { toRfc3339 } from "../rfc3339";

/** The block with its computed attributes filled in. */
export function toIamTokenResult(config: CtyObject, issued: IssuedToken): CtyObject {
  const token = issued.token.reveal();
  const headerName = headerNameOf(issued.kind);
  return {
    ...config,
    token,
    header_name: headerName,
    headers: { [headerName]: token },
    kind: issued.kind,
    issued_at: toRfc3339(issued.issuedAt),
    expires_at: toRfc3339(issued.expiresAt),
    fingerprint: fingerprintOf(issued.token),
    auth_url: issued.authUrl.v3,
  };
}

/**
 * What was odd about the issuing, for the user. One summary for all, so that Terraform shows a
 * hundred of them as one.
 */
export function warningsOf(issued: IssuedToken): readonly Diagnostic[] {
  return issued.warnings.map((detail) => ({
    severity: "warning",
    summary: "An IAM token was issued with a remark",
    detail,
  }));
}
