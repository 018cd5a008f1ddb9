import { fingerprintOf, KIND_OF_SCOPE, type TokenKindId } from "../tokens";
import type { Credential, IssueRequest } from "./credential";
import type { TimedToken } from "./issued-token";

/** Requests and tokens of one credential and scope. Contains no secret. */
export interface CredentialUsage {
  readonly authUrl: string;
  readonly way: Credential["way"];
  /** Null if the credential does not need it. */
  readonly accountId: string | null;
  /** The service user; null for an application credential by id, and for an identity token. */
  readonly userName: string | null;
  /** The id or the name of an application credential; null for other ways. */
  readonly applicationCredential: string | null;
  /** Of an identity token; null for other ways. */
  readonly identityProvider: string | null;
  readonly kind: TokenKindId;
  /** Null for the account's scope. */
  readonly projectName: string | null;
  /** Tokens that were issued. */
  readonly tokens: number;
  /** How often a token was returned to a caller. */
  readonly uses: number;
  /** Requests to the service for it, including all attempts. */
  readonly requests: number;
  /** Attempts after the first, of all requests. */
  readonly retries: number;
  /** Milliseconds spent on requests, including waits between attempts. */
  readonly waitedMs: number;
  /** The last token that was issued; null without one. */
  readonly last: LastToken | null;
}

/** The last token that was issued for a credential. */
interface LastToken {
  readonly fingerprint: string;
  /** RFC 3339, by the service's clock. */
  readonly issuedAt: string;
  /** RFC 3339, by the service's clock. */
  readonly expiresAt: string;
  /** Milliseconds that it had left when the journal was read. */
  readonly remainingMs: number;
}

/** Statistics of an identity client. */
export interface Usage {
  /** In the order of their first use. */
  readonly credentials: readonly CredentialUsage[];
  /** Whether there were too many to list all of them. The others count in `total`. */
  readonly partial: boolean;
  readonly total: Pick<CredentialUsage, "tokens" | "uses" | "requests" | "retries" | "waitedMs">;
}

type Counts = { tokens: number; uses: number; requests: number; retries: number; waitedMs: number };
interface Entry {
  readonly who: Omit<CredentialUsage, keyof Counts | "last">;
  readonly counts: Counts;
  /** Without the token itself: the journal outlives it. */
  last: { readonly token: Omit<LastToken, "remainingMs">; readonly diesAt: number } | null;
}

const none = (): Counts => ({ tokens: 0, uses: 0, requests: 0, retries: 0, waitedMs: 0 });

/**
 * Counts an identity client's work, for a summary. Its memory is limited: above the limit, only the
 * sums of further credentials are kept.
 */
export class UsageJournal {
  readonly #entries = new Map<string, Entry>();
  readonly #total = none();
  #partial = false;

  /** @param limit how many credentials are counted separately; by default 1,000 */
  constructor(private readonly limit = 1_000) {}

  /** A request has ended, with or without success. */
  noteRequest(key: string, request: IssueRequest, tries: number, waitedMs: number): void {
    this.#count(key, request, { requests: tries, retries: Math.max(0, tries - 1), waitedMs });
  }

  noteIssued(key: string, request: IssueRequest, token: TimedToken): void {
    this.#count(key, request, { tokens: 1 });
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { issued, receivedAt } = token;
    entry.last = {
      token: {
        fingerprint: fingerprintOf(issued.token),
        issuedAt: issued.issuedAt.toISOString(),
        expiresAt: issued.expiresAt.toISOString(),
      },
      diesAt: receivedAt + issued.remainingMs,
    };
  }

  /** A token was returned to a caller. */
  noteUse(key: string, request: IssueRequest): void {
    this.#count(key, request, { uses: 1 });
  }

  /** The counts so far. */
  read(now: number): Usage {
    return {
      credentials: [...this.#entries.values()].map(({ who, counts, last }) => ({
        ...who,
        ...counts,
        last: last && { ...last.token, remainingMs: Math.max(0, last.diesAt - now) },
      })),
      partial: this.#partial,
      total: { ...this.#total },
    };
  }

  #count(key: string, request: IssueRequest, counts: Partial<Counts>): void {
    const entry = this.#entries.get(key) ?? this.#add(key, request);
    for (const name of Object.keys(counts) as (keyof Counts)[]) {
      const more = counts[name] ?? 0;
      this.#total[name] += more;
      if (entry !== undefined) entry.counts[name] += more;
    }
  }

  #add(key: string, { credential, scope }: IssueRequest): Entry | undefined {
    if (this.#entries.size >= this.limit) {
      this.#partial = true;
      return undefined;
    }
    const entry: Entry = {
      who: {
        authUrl: credential.authUrl.v3,
        ...namesOf(credential),
        kind: KIND_OF_SCOPE[scope.kind],
        projectName: scope.kind === "project" ? (scope.projectName ?? null) : null,
      },
      counts: none(),
      last: null,
    };
    this.#entries.set(key, entry);
    return entry;
  }
}

function namesOf(credential: Credential): Omit<Entry["who"], "authUrl" | "kind" | "projectName"> {
  const { way, accountId = null } = credential;
  const by = way === "application credential" ? credential.by : undefined;
  const named = way === "password" ? credential : by !== undefined && "name" in by ? by : undefined;
  return {
    way,
    accountId,
    userName: named?.userName ?? null,
    applicationCredential: by === undefined ? null : "id" in by ? by.id : by.name,
    identityProvider: way === "identity token" ? credential.identityProvider : null,
  };
}
