import { printable } from "../../tokens";
import { needlesOf, occurrencesOf } from "../leaks/encodings";

/**
 * A scope, by names. `none` is Keystone's unscoped token, which the service's specification
 * does not have.
 */
export type RequestedScope =
  | { readonly kind: "account"; readonly account: string }
  | { readonly kind: "project"; readonly project: string; readonly account: string }
  | { readonly kind: "none" };

/**
 * Why a request is refused. Only the journal contains this; as with Keystone, the client gets the
 * same 401 for nearly all reasons.
 */
export type RefusalReason =
  | "unknown_account"
  | "unknown_user"
  | "wrong_password"
  | "password_expired"
  | "second_factor_missing"
  | "method_unsupported"
  | "user_disabled"
  | "project_disabled"
  | "unknown_project"
  | "no_permission"
  | "malformed_request"
  | "token_missing"
  | "token_unknown"
  | "token_expired"
  | "token_revoked"
  | "token_hidden"
  | "token_of_another_user"
  | "token_of_a_credential"
  | "unknown_application_credential"
  | "wrong_secret"
  | "application_credential_expired"
  | "scope_with_application_credential"
  | "identity_token_invalid"
  | "unknown_identity_provider"
  | "issuer_not_accepted"
  | "audience_not_accepted"
  | "wrong_header";

/** The handlers' notes about a request. */
export interface Noted {
  readonly user?: string;
  readonly account?: string;
  readonly scope?: RequestedScope;
  readonly fingerprint?: string;
  readonly reason?: RefusalReason;
}

/** A request and its answer. Contains no passwords or tokens. @see docs/testing.md */
export interface JournalEntry {
  /** Time of the answer, RFC 3339, by the server's clock. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** The answer's x-openstack-request-id; null if it has none. */
  readonly requestId: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly scope: RequestedScope | null;
  /** Fingerprint of the token that was issued, validated or revoked. */
  readonly fingerprint: string | null;
  /** Why it was refused, which the client does not get. Null if it was not refused. */
  readonly reason: RefusalReason | null;
}

/** Older entries are dropped: a server may run for days. */
const MAX_ENTRIES = 10_000;

/** Members of an entry whose text the client chose. */
const CLIENTS: ReadonlySet<string> = new Set(["path", "user", "account", "project"]);

export type Journal = ReturnType<typeof createJournal>;

/**
 * The newest requests of a server, oldest first.
 *
 * @param secrets what no entry may contain, in any spelling: a client that mixes up its fields sends
 *   them as names, and encodes them
 * @param onEntry gets each entry when it is made
 */
export function createJournal(
  secrets: ReadonlySet<string>,
  onEntry: ((entry: JournalEntry) => void) | undefined,
) {
  const entries: JournalEntry[] = [];

  /** Short secrets only as a whole: the password "web" does not hide a path with that name. */
  function hidden(text: string): string {
    const parts = [...secrets].filter((secret) => secret.length >= 6);
    const needles = parts.flatMap((secret) => needlesOf("", secret));
    const [found] = occurrencesOf(needles, Buffer.from(text));
    const isSecret = found !== undefined || secrets.has(text);
    return isSecret || /gAAAA[\w-]{20}|eyJ[\w-]{10,}\./.test(text) ? "(sensitive)" : text;
  }

  return {
    record(
      request: Pick<JournalEntry, "at" | "method" | "path" | "status" | "requestId">,
      noted: Noted,
    ): void {
      const none = { user: null, account: null, scope: null, fingerprint: null, reason: null };
      const entry: JournalEntry = JSON.parse(
        JSON.stringify({ ...request, ...none, ...noted }),
        (key, value) => (CLIENTS.has(key) && value !== null ? hidden(value) : value),
      );
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) entries.shift();
      onEntry?.(entry);
    },
    /** A copy: later requests do not change it. */
    entries: (): readonly JournalEntry[] => [...entries],
    clear: () => void entries.splice(0),
  };
}

/** An entry as a line, without its time. The client's input cannot end the line. */
export function lineOf(entry: JournalEntry): string {
  const { method, path, status, user, account, scope, reason } = entry;
  const asked =
    scope === null
      ? ""
      : ` ${scope.kind}${scope.kind === "project" ? ` ${JSON.stringify(scope.project)}` : ""}`;
  const who = user === null ? "" : ` ${JSON.stringify(user)} of ${JSON.stringify(account)}`;
  const why = reason === null ? "" : ` (${reason})`;
  return printable(`${method} ${path} ${status}${who}${asked}${why}`);
}
