import { printable } from "../../tokens";

/**
 * Requested scope, by names. `none` is Keystone's unscoped token, which the service's specification
 * does not have.
 */
export type RequestedScope =
  | { readonly kind: "account"; readonly account: string }
  | { readonly kind: "project"; readonly project: string; readonly account: string }
  | { readonly kind: "system" }
  | { readonly kind: "none" };

/**
 * Why a request is refused. Only the journal contains this; as with Keystone, the client gets the
 * same 401 for nearly all reasons.
 */
export type RefusalReason =
  | "unknown_account"
  | "unknown_user"
  | "wrong_password"
  | "user_disabled"
  | "user_locked"
  | "password_expired"
  | "not_a_service_user"
  | "unknown_project"
  | "no_permission"
  | "unsupported_method"
  | "malformed_request"
  | "server_error"
  | "token_missing"
  | "token_unknown"
  | "token_expired"
  | "token_revoked"
  | "token_of_another_user"
  | "token_of_a_credential"
  | "second_factor_required"
  | "unknown_application_credential"
  | "wrong_secret"
  | "application_credential_expired"
  | "scope_with_application_credential"
  | "identity_token_invalid"
  | "unknown_identity_provider"
  | "issuer_not_accepted"
  | "audience_not_accepted"
  | "wrong_header";

/** A request and its answer. Contains no passwords or tokens. @see docs/testing.md */
export interface JournalEntry {
  /** Time of the answer, RFC 3339, by the server's clock. */
  readonly at: string;
  readonly method: string;
  /** Without the query; of a long one, the beginning. */
  readonly path: string;
  readonly status: number;
  /** The answer's x-openstack-request-id; null if Keystone sends none. */
  readonly requestId: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly scope: RequestedScope | null;
  /** Fingerprint of the token that was issued, validated or revoked. */
  readonly fingerprint: string | null;
  /** Why it was refused, which the client does not get. Null if it was not refused. */
  readonly reason: RefusalReason | null;
}

/** Notes of the handlers about a request, in addition to those of every request. */
export interface Noted {
  readonly user?: string;
  readonly account?: string;
  readonly scope?: RequestedScope;
  readonly fingerprint?: string;
  readonly reason?: RefusalReason;
}

const REDACTED = "(sensitive)";

/** Older entries are dropped: a server may run for days. */
const MAX_ENTRIES = 10_000;

/** Of a client's input. */
const MAX_LENGTH = 255;

/** The newest requests of a server, oldest first. Secrets are removed from the client's input. */
export class Journal {
  readonly #secrets: () => Iterable<string>;
  readonly #onEntry: (entry: JournalEntry) => void;
  #entries: JournalEntry[] = [];
  #dropped = 0;

  /**
   * @param secrets called each time: they change
   * @param onEntry gets each entry when it is made
   */
  constructor(secrets: () => Iterable<string>, onEntry: (entry: JournalEntry) => void) {
    this.#secrets = secrets;
    this.#onEntry = onEntry;
  }

  /** The number of entries that are no longer in it. */
  get dropped(): number {
    return this.#dropped;
  }

  record(
    request: Pick<JournalEntry, "at" | "method" | "path" | "status" | "requestId">,
    noted: Noted,
  ): void {
    const entry: JournalEntry = {
      ...request,
      path: this.#redact(request.path),
      user: noted.user === undefined ? null : this.#redact(noted.user),
      account: noted.account === undefined ? null : this.#redact(noted.account),
      scope: noted.scope === undefined ? null : this.#redactScope(noted.scope),
      fingerprint: noted.fingerprint ?? null,
      reason: noted.reason ?? null,
    };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) {
      this.#entries.shift();
      this.#dropped += 1;
    }
    this.#onEntry(entry);
  }

  /** A copy: later requests do not change it. */
  entries(): readonly JournalEntry[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
    this.#dropped = 0;
  }

  #redactScope(scope: RequestedScope): RequestedScope {
    if (!("account" in scope)) return scope;
    const account = this.#redact(scope.account);
    if (scope.kind === "account") return { ...scope, account };
    return { ...scope, project: this.#redact(scope.project), account };
  }

  /**
   * A client that mixes up its fields sends a password as a name. Names are shortened.
   */
  #redact(text: string): string {
    const forms = [...new Set([text, decoded(text)])];
    // Short passwords only as a whole: the password "web" must not hide a project of that name
    // inside a path.
    const isSecret = [...this.#secrets()].some((secret) =>
      forms.some((form) => form === secret || (secret.length >= 6 && form.includes(secret))),
    );
    if (isSecret || forms.some((form) => /gAAAA[\w-]{20}|eyJ[\w-]{10,}\./.test(form)))
      return REDACTED;
    return copyOf(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
  }
}

/** A part of a string keeps the whole of it in memory, here that of a request: a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
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

/** A part of a path. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
