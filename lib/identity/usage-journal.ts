import { fingerprintOf, KIND_OF_SCOPE } from "../tokens";
import { accountOf, type IssueRequest, userOf } from "./credential";
import type { TimedToken } from "./issued-token";
import { domainOf, type Naming } from "./references";
import type { TriedExchange } from "./retry/exchange";

const NOTHING = {
  /** Tokens that were issued. */
  tokens: 0,
  /** How often a token was returned to a caller. */
  uses: 0,
  /** Of these, with less than an hour left: an apply may outlive the token. */
  briefUses: 0,
  /** Requests to the service for it, including all attempts. */
  requests: 0,
  /** Attempts after the first, of all requests. */
  retries: 0,
  /** Milliseconds spent on requests, including waits between attempts. */
  waitedMs: 0,
};
type Counts = typeof NOTHING;

/** Requests and tokens of one credential and scope. Contains no secret. */
export interface CredentialUsage extends Who, Readonly<Counts> {
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

const BRIEF_MS = 60 * 60 * 1000;

interface Entry {
  readonly who: Who;
  readonly counts: Counts;
  /** Without the token itself: the journal outlives it. */
  last: { readonly token: Omit<LastToken, "remainingMs">; readonly diesAt: number } | null;
}

/**
 * Counts an identity client's work, for a summary. Its memory is limited: above the limit, only the
 * sums of further credentials are kept.
 */
export class UsageJournal {
  readonly #entries = new Map<string, Entry>();
  readonly #total = { ...NOTHING };
  #partial = false;

  /** @param limit how many credentials are counted separately; by default 1,000 */
  constructor(private readonly limit = 1_000) {}

  /** A request has ended, with or without success. */
  noteRequest(key: string, request: IssueRequest, { tries, tookMs }: TriedExchange): void {
    const retries = Math.max(0, tries - 1);
    this.#count(key, request, { requests: tries, retries, waitedMs: tookMs });
  }

  noteIssued(key: string, request: IssueRequest, issued: TimedToken): void {
    const { token, issuedAt, expiresAt, receivedAt, remainingMs } = issued;
    this.#count(key, request, { tokens: 1 }).last = {
      token: {
        fingerprint: fingerprintOf(token),
        issuedAt: issuedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      },
      diesAt: receivedAt + remainingMs,
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

  #count(key: string, request: IssueRequest, counts: Partial<Counts>): Entry {
    const entry = this.#entries.get(key) ?? this.#add(key, request);
    for (const name of Object.keys(counts) as (keyof Counts)[])
      for (const sum of [this.#total, entry.counts]) sum[name] += counts[name] ?? 0;
    return entry;
  }

  /** Above the limit, an entry that is counted and forgotten. */
  #add(key: string, request: IssueRequest): Entry {
    const entry: Entry = { who: whoOf(request), counts: { ...NOTHING }, last: null };
    if (this.#entries.size < this.limit) this.#entries.set(key, entry);
    else this.#partial = true;
    return entry;
  }
}

type Who = Readonly<ReturnType<typeof whoOf>>;

function whoOf({ credential, scope, expected = {} }: IssueRequest) {
  const { way, authUrl } = credential;
  const by = way === "application credential" ? credential.by : undefined;
  const user = userOf(credential);
  const project = scope.kind === "project" ? scope.project : undefined;
  const domains = [accountOf(scope), expected.project?.domain, domainOf(user)];
  return {
    authUrl: authUrl.v3,
    way,
    /**
     * The name of the account that the token is for, or of the user's. Null if neither is known.
     */
    accountId: first("name", ...domains),
    /** The same by its id, if that was sent. */
    accountDomainId: first("id", ...domains),
    /** The service user; null for an application credential by id, and for an identity token. */
    userName: first("name", user, expected.user),
    userId: first("id", user),
    /** The id or the name of an application credential; null for other ways. */
    applicationCredential: first("id", by) ?? first("name", by),
    /** Of an identity token; null for other ways. */
    identityProvider: way === "identity token" ? credential.identityProvider : null,
    kind: KIND_OF_SCOPE[scope.kind],
    /** Null for the account's scope. */
    projectName: first("name", project, expected.project),
    projectId: first("id", project, expected.project),
  };
}

const first = (key: keyof Naming, ...of: (Naming | undefined)[]): string | null =>
  of.find((each) => each?.[key] !== undefined)?.[key] ?? null;
