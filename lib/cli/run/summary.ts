import type { CredentialUsage, Usage } from "../../identity";
import { formatDuration, headerNameOf, quote } from "../../tokens";

/** The summary for machines. Names are those of the provider's attributes, where these exist. */
export function toJsonSummary({ credentials, partial, total }: Usage) {
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
      application_credential: each.applicationCredential,
      identity_provider: each.identityProvider,
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
    // Whether further credentials are only in the total.
    partial,
    total: counts(total),
  };
}

export type JsonSummary = ReturnType<typeof toJsonSummary>;

/** Scopes in the summary for people; the JSON form lists further ones. */
const MAX_SCOPES = 20;

/** The summary for people; empty if no token was requested. */
export function toTextSummary({ credentials, partial, total }: Usage, colour: boolean): string {
  if (total.requests === 0 && total.uses === 0) return "";
  const strong = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
  const faint = (text: string) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
  const users = new Set(credentials.map(userOf)).size;
  const isAllPasswords = credentials.every(({ way }) => way === "password");
  const listed = new Map<string, CredentialUsage[]>();
  for (const each of credentials.slice(0, MAX_SCOPES))
    listed.set(userOf(each), [...(listed.get(userOf(each)) ?? []), each]);
  const more = credentials.length - MAX_SCOPES;
  const atLeast = partial ? "at least " : "";
  return [
    `${strong("iam-tokens:")} ${[
      `${atLeast}${some(users, isAllPasswords ? "service user" : "credential")}`,
      `${atLeast}${some(credentials.length, "scope")}`,
      ...countsOf(total, " of tokens", " to the identity service"),
    ].join(", ")}`,
    ...[...listed].flatMap(([user, its]) => [
      `  ${user}`,
      ...its.map((each) => `    ${scopeOf(each)}  ${faint(detailsOf(each))}`),
    ]),
    ...(more > 0
      ? [`  and ${atLeast}${some(more, "further scope")}${partial ? "" : " (--json FILE has all)"}`]
      : []),
    "",
  ].join("\n");
}

function userOf(usage: CredentialUsage): string {
  const { userName, accountId, applicationCredential, identityProvider, authUrl } = usage;
  const names = [
    ...(applicationCredential === null
      ? []
      : [`application credential ${nameText(applicationCredential)}`]),
    ...(identityProvider === null ? [] : [`identity provider ${nameText(identityProvider)}`]),
    ...(userName === null ? [] : [nameText(userName)]),
  ];
  const account = accountId === null ? "" : ` in account ${nameText(accountId)}`;
  return `${names.join(" of ")}${account} at ${authUrl}`;
}

function scopeOf({ projectName }: CredentialUsage): string {
  return projectName === null ? "account" : `project ${nameText(projectName)}`;
}

function detailsOf(each: CredentialUsage): string {
  const { last, tokens } = each;
  const token =
    last === null
      ? "no token was issued"
      : `${tokens > 1 ? `${tokens} tokens, the last ` : "token "}${last.fingerprint} ${
          last.remainingMs > 0
            ? `lives until ${last.expiresAt.slice(0, 19)}Z (${formatDuration(last.remainingMs)} left)`
            : "has expired"
        }`;
  return `${countsOf(each).join(", ")}; ${token}`;
}

function countsOf(
  { uses, requests, retries, waitedMs }: Usage["total"],
  ofWhat = "",
  toWhom = "",
): string[] {
  const again = retries === 0 ? "" : ` (${some(retries, "retry", "retries")})`;
  return [
    `${some(uses, "use")}${ofWhat}`,
    `${some(requests, "request")}${toWhom}${again}`,
    `${formatDuration(waitedMs)} of waiting`,
  ];
}

function some(count: number, what: string, several = `${what}s`): string {
  return `${count} ${count === 1 ? what : several}`;
}

/** Names come from the configuration, whose author must not control the terminal. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}._@-]+$/u.test(name) ? name : quote(name);
}
