import type { Usage } from "../../identity";
import { headerNameOf, quote } from "../../tokens";

/** The summary for machines. Names are those of the provider's attributes, where these exist. */
export function toJsonSummary({ credentials, partial, total }: Usage) {
  const counts = ({ tokens, uses, briefUses, requests, retries, waitedMs }: Usage["total"]) => ({
    tokens,
    uses,
    uses_below_one_hour: briefUses,
    requests,
    retries,
    waited_ms: Math.round(waitedMs),
  });
  return {
    credentials: credentials.map((each) => ({
      auth_url: each.authUrl,
      account_id: each.accountId,
      account_domain_id: each.accountDomainId,
      user_name: each.userName,
      user_id: each.userId,
      application_credential: each.applicationCredential,
      identity_provider: each.identityProvider,
      kind: each.kind,
      scope: each.kind === "iam_token_account_scoped" ? "account" : "project",
      project_name: each.projectName,
      project_id: each.projectId,
      header_name: headerNameOf(each.kind),
      fingerprint: each.last?.fingerprint ?? null,
      issued_at: each.last?.issuedAt ?? null,
      expires_at: each.last?.expiresAt ?? null,
      remaining_seconds: each.last === null ? null : Math.floor(each.last.remainingMs / 1000),
      ...counts(each),
    })),
    // Whether further credentials are only in the total.
    partial,
    total: counts(total),
  };
}

export type JsonSummary = ReturnType<typeof toJsonSummary>;
type Row = JsonSummary["credentials"][number];

/** Rows in the summary for people; the JSON form has the others. */
const MAX_ROWS = 20;

/** The summary for people, a line for each row; empty if no token was requested. */
export function toTextSummary({ credentials, total }: JsonSummary): string {
  if (total.requests === 0 && total.uses === 0) return "";
  const rest = credentials.length - MAX_ROWS;
  return [
    `iam-tokens: ${countsOf(total)}, waited ${total.waited_ms} ms`,
    ...credentials
      .slice(0, MAX_ROWS)
      .map((row) => `  ${whoOf(row)}: ${countsOf(row)}, ${lastOf(row)}`),
    ...(rest > 0 ? [`  and ${rest} more: --json FILE has all`] : []),
    "",
  ].join("\n");
}

/** Names come from the configuration, whose author must not control the terminal. */
function whoOf(row: Row): string {
  const names = NAMED_BY.filter((name) => row[name] !== null);
  const who = names.map((name) => `${name.replaceAll("_", " ")} ${quote(`${row[name]}`)}`);
  return `${who.join(", ")} at ${row.auth_url}`;
}

const NAMED_BY = [
  "application_credential",
  "identity_provider",
  "user_name",
  "user_id",
  "account_id",
  "account_domain_id",
  "project_name",
  "project_id",
] as const;

function countsOf({ uses, uses_below_one_hour, requests, retries }: JsonSummary["total"]): string {
  const brief = uses_below_one_hour > 0 ? ` (with less than 1 h left: ${uses_below_one_hour})` : "";
  return `uses: ${uses}${brief}, requests: ${requests}, retries: ${retries}`;
}

function lastOf({ fingerprint, expires_at, remaining_seconds }: Row): string {
  if (fingerprint === null) return "no token was issued";
  const until = (remaining_seconds ?? 0) > 0 ? "valid until" : "expired at";
  return `token ${fingerprint} ${until} ${expires_at}`;
}
