import { printable } from "../../tokens";
import type { IdentityFault } from "../config/fault";

/**
 * What a request asks a token for, by names. `none` is Keystone's unscoped token, which the spec
 * does not have.
 */
export type RequestedScope =
  | { readonly kind: "account"; readonly account: string }
  | { readonly kind: "project"; readonly project: string; readonly account: string }
  | { readonly kind: "system" }
  | { readonly kind: "none" };

/**
 * Why a request is refused. The journal tells; the client, as with Keystone, gets the same 401 for
 * nearly all of them.
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
  | "token_of_another_user";

/** What a request asked, and how it was answered. It holds no password and no token. */
export interface JournalEntry {
  /** When the answer was given, RFC 3339, by the server's clock. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** The answer's x-openstack-request-id; null where Keystone sends none. */
  readonly requestId: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly scope: RequestedScope | null;
  /** Of the token that was issued, validated or revoked. */
  readonly fingerprint: string | null;
  /** Why it was refused, which the client is not told. Null when it was not. */
  readonly reason: RefusalReason | null;
  /**
   * The kinds of the faults that it met. Not there when it met none. `status` is then what the
   * service itself answered.
   */
  readonly faults?: readonly IdentityFault["kind"][];
}

/** What the handlers note of a request, in addition to what every request has. */
export interface Noted {
  readonly user?: string;
  readonly account?: string;
  readonly scope?: RequestedScope;
  readonly fingerprint?: string;
  readonly reason?: RefusalReason;
}

const REDACTED = "(sensitive)";

/** The requests of a server, oldest first, with secrets taken out of whatever the client wrote. */
export class Journal {
  readonly #passwords: () => Iterable<string>;
  readonly #onEntry: (entry: JournalEntry) => void;
  #entries: JournalEntry[] = [];

  /**
   * @param passwords asked anew each time: they change
   * @param onEntry told each entry as it is made
   */
  constructor(passwords: () => Iterable<string>, onEntry: (entry: JournalEntry) => void) {
    this.#passwords = passwords;
    this.#onEntry = onEntry;
  }

  record(
    {
      faults = [],
      ...request
    }: Pick<JournalEntry, "at" | "method" | "path" | "status" | "requestId" | "faults">,
    noted: Noted,
  ): void {
    const entry: JournalEntry = {
      ...request,
      ...(faults.length === 0 ? {} : { faults }),
      path: this.#redact(request.path),
      user: noted.user === undefined ? null : this.#redact(noted.user),
      account: noted.account === undefined ? null : this.#redact(noted.account),
      scope: noted.scope === undefined ? null : this.#redactScope(noted.scope),
      fingerprint: noted.fingerprint ?? null,
      reason: noted.reason ?? null,
    };
    this.#entries.push(entry);
    this.#onEntry(entry);
  }

  /** A copy: it does not change when more requests come. */
  entries(): readonly JournalEntry[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
  }

  #redactScope(scope: RequestedScope): RequestedScope {
    if (!("account" in scope)) return scope;
    const account = this.#redact(scope.account);
    if (scope.kind === "account") return { ...scope, account };
    return { ...scope, project: this.#redact(scope.project), account };
  }

  /**
   * A client that mixes up its fields sends a password as a name; names are cut, so that they stay
   * names.
   */
  #redact(text: string): string {
    const forms = [text, decoded(text)];
    // Short passwords only as a whole: "web" as a password must not hide a project of that name
    // inside a path.
    const secret = [...this.#passwords()].some((password) =>
      forms.some((form) => form === password || (password.length >= 6 && form.includes(password))),
    );
    if (secret || forms.some((form) => /gAAAA[\w-]{20}/.test(form))) return REDACTED;
    return text.length > 255 ? `${text.slice(0, 255)}…` : text;
  }
}

/** An entry as text, without its time. What the client wrote cannot end the line. */
export function lineOf(entry: JournalEntry): string {
  const { method, path, status, user, account, scope, reason, faults } = entry;
  const asked =
    scope === null
      ? ""
      : ` ${scope.kind}${scope.kind === "project" ? ` ${JSON.stringify(scope.project)}` : ""}`;
  const who = user === null ? "" : ` ${JSON.stringify(user)} of ${JSON.stringify(account)}`;
  const why = reason === null ? "" : ` (${reason})`;
  const met = faults === undefined ? "" : ` [faults: ${faults.join(", ")}]`;
  return printable(`${method} ${path} ${status}${who}${asked}${why}${met}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
