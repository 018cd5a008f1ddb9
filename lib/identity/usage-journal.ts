import { fingerprintOf, KIND_OF_SCOPE, type TokenKindId } from "../tokens";
import type { Credential, IssueRequest } from "./credential";
import type { TimedToken } from "./issued-token";
import { domainOf, type Naming } from "./references";

/** Requests and tokens of one credential and scope. Contains no secret. */
export interface CredentialUsage {
  readonly authUrl: string;
  readonly way: Credential["way"];
  /** The name of the account that the token is for, or of the user's. Null if neither is known. */
  readonly accountId: string | null;
  /** The same by its id, if that was sent. */
  readonly accountDomainId: string | null;
  /** The service user; null for an application credential by id, and for an identity token. */
  readonly userName: string | null;
  readonly userId: string | null;
  /** The id or the name of an application credential; null for other ways. */
  readonly applicationCredential: string | null;
  /** Of an identity token; null for other ways. */
  readonly identityProvider: string | null;
  readonly kind: TokenKindId;
  /** Null for the account's scope. */
  readonly projectName: string | null;
  readonly projectId: string | null;
  /** Tokens that were issued. */
  readonly tokens: number;
  /** How often a token was returned to a caller. */
  readonly uses: number;
  /** Of these, with less than an hour left: an apply may outlive the token. */
  readonly briefUses: number;
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
  readonly total: Counts;
}

/** The numbers of {@link CredentialUsage}. */
type Counts = Record<"tokens" | "uses" | "briefUses" | "requests" | "retries" | "waitedMs", number>;
const BRIEF_MS = 60 * 60 * 1000;
interface Entry {
  readonly who: Omit<CredentialUsage, keyof Counts | "last">;
  readonly counts: Counts;
  /** Without the token itself: the journal outlives it. */
  last: { readonly token: Omit<LastToken, "remainingMs">; readonly diesAt: number } | null;
}

const nothingCounted = (): Counts => ({
  tokens: 0,
  uses: 0,
  briefUses: 0,
  requests: 0,
  retries: 0,
  waitedMs: 0,
});

/**
 * Counts an identity client's work, for a summary. Its memory is limited: above the limit, only the
 * sums of further credentials are kept.
 */
export class UsageJournal {
  readonly #entries = new Map<string, Entry>();
  readonly #total = nothingCounted();
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

  /** A token with this much left was returned to a caller. */
  noteUse(key: string, request: IssueRequest, remainingMs: number): void {
    this.#count(key, request, { uses: 1, briefUses: remainingMs < BRIEF_MS ? 1 : 0 });
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

  #add(key: string, request: IssueRequest): Entry | undefined {
    if (this.#entries.size >= this.limit) {
      this.#partial = true;
      return undefined;
    }
    const entry: Entry = {
      who: whoOf(request),
      counts: nothingCounted(),
      last: null,
    };
    this.#entries.set(key, entry);
    return entry;
  }
}

function whoOf({ credential, scope, expected }: IssueRequest): Entry["who"] {
  const { way, authUrl } = credential;
  const by = way === "application credential" ? credential.by : undefined;
  const user = way === "password" ? credential.user : by && "user" in by ? by.user : undefined;
  const project: Naming | undefined = scope.kind === "project" ? scope.project : undefined;
  const domains: (Naming | undefined)[] = [
    scope.kind === "account" ? scope.account : domainOf(scope.project),
    expected?.project?.domain,
    domainOf(user),
  ];
  const first = (key: keyof Naming, ...of: (Naming | undefined)[]): string | null =>
    of.find((each) => each?.[key] !== undefined)?.[key] ?? null;
  return {
    authUrl: authUrl.v3,
    way,
    accountId: first("name", ...domains),
    accountDomainId: first("id", ...domains),
    userName: first("name", user, expected?.user),
    userId: first("id", user),
    applicationCredential: first("id", by) ?? first("name", by),
    identityProvider: way === "identity token" ? credential.identityProvider : null,
    kind: KIND_OF_SCOPE[scope.kind],
    projectName: first("name", project, expected?.project),
    projectId: first("id", project, expected?.project),
  };
}
