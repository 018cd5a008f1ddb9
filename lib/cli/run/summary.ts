import type { CredentialUsage, Usage } from "../../identity";
import { formatDuration, headerNameOf, quote } from "../../tokens";

/** The summary for machines. Names are those of the provider's attributes, where these exist. */
export function toJsonSummary({ credentials, untold, total }: Usage) {
  const counts = ({ tokens, uses, requests, retries, waitedMs }: Usage["total"]) => ({
    tokens,
    uses,
    requests,
    retries,
    waited_ms: Math.round(waitedMs),
  });
  return {
    credentials: credentials.map((each) => ({
      auth_url: each.authUrl,
      account_id: each.accountId,
      user_name: each.userName,
      kind: each.kind,
      scope: each.projectName === null ? "account" : "project",
      project_name: each.projectName,
      header_name: headerNameOf(each.kind),
      fingerprint: each.last?.fingerprint ?? null,
      issued_at: each.last?.issuedAt ?? null,
      expires_at: each.last?.expiresAt ?? null,
      remaining_seconds: each.last === null ? null : Math.floor(each.last.remainingMs / 1000),
      ...counts(each),
    })),
    // Credentials that are only in the total.
    untold_credentials: untold,
    total: counts(total),
  };
}

export type JsonSummary = ReturnType<typeof toJsonSummary>;

/** Lines in the summary for people; the JSON form lists further credentials. */
const MAX_LINES = 20;

/** The summary for people; empty if no token was requested. */
export function toTextSummary({ credentials, untold, total }: Usage, colour: boolean): string {
  if (total.requests === 0 && total.uses === 0) return "";
  const strong = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
  const faint = (text: string) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
  const count = credentials.length + untold;
  const head = [
    some(count, "credential"),
    some(total.uses, "use"),
    ...requestsOf(total),
    `${formatDuration(total.waitedMs)} waiting for the identity service`,
  ];
  const several =
    new Set(
      credentials.map(({ authUrl, accountId, userName }) =>
        JSON.stringify([authUrl, accountId, userName]),
      ),
    ).size > 1;
  const lines = credentials
    .slice(0, MAX_LINES)
    .map((each) => `  ${describe(each, several)} ${faint(detailsOf(each))}`);
  const more = count - lines.length;
  return [
    `${strong("iam-tokens:")} ${head.join(", ")}`,
    ...lines,
    ...(more > 0
      ? [`  and ${some(more, "further credential")}${untold > 0 ? "" : " (--json FILE has all)"}`]
      : []),
    "",
  ].join("\n");
}

function describe(
  { kind, accountId, projectName, userName, authUrl }: CredentialUsage,
  several: boolean,
): string {
  const scope =
    projectName === null
      ? `account ${nameText(accountId)}`
      : `project ${nameText(projectName)} of account ${nameText(accountId)}`;
  return `${kind}  ${scope}${several ? `, ${nameText(userName)} at ${authUrl}` : ""}  ${headerNameOf(kind)}`;
}

function detailsOf(each: CredentialUsage): string {
  const { last, uses, tokens } = each;
  const issued =
    last === null
      ? "no token was issued"
      : `${tokens > 1 ? `${tokens} tokens, the last ` : ""}${last.fingerprint} issued ${last.issuedAt.slice(0, 19)}Z, ${
          last.remainingMs > 0 ? `${formatDuration(last.remainingMs)} left` : "expired"
        }`;
  return [
    ` ${issued}`,
    some(uses, "use"),
    ...requestsOf(each),
    `${formatDuration(each.waitedMs)} waiting`,
  ].join(", ");
}

function requestsOf({ requests, retries }: Usage["total"]): string[] {
  return [
    some(requests, "request"),
    ...(retries === 0 ? [] : [`${retries} of them ${retries === 1 ? "a retry" : "retries"}`]),
  ];
}

function some(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Names come from the configuration, whose author must not control the terminal. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}._@-]+$/u.test(name) ? name : quote(name);
}
