import { IamTokensError, type KIND_OF_SCOPE } from "../tokens";
import { type JournalEntry, lineOf, type RefusalReason } from "./identity/journal";

/** Which issued tokens match; missing members match anything. */
export interface IssuedExpectation {
  readonly user?: string;
  readonly accountId?: string;
  /** "account" or "project". */
  readonly scope?: keyof typeof KIND_OF_SCOPE;
  readonly project?: string;
  /** The exact number. Default: at least one. */
  readonly times?: number;
}

/** Which refused requests match; missing members match anything. */
export interface RefusedExpectation {
  /** The reason in the service's journal, which the client does not get. */
  readonly reason?: RefusalReason;
  readonly user?: string;
  /** The exact number. Default: at least one. */
  readonly times?: number;
}

/** Result of a matcher for jest, or any other `expect` with the same extension interface. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers for an identity service: see {@link identityMatchers}. */
export interface IdentityMatchers<Result> {
  /** The service has issued matching tokens since its journal was cleared. */
  toHaveIssued(expected?: IssuedExpectation): Result;
  /** The service has refused matching requests since its journal was cleared. */
  toHaveRefused(expected?: RefusedExpectation): Result;
}

declare global {
  namespace jest {
    // Declared as in @types/jest, with which it merges; without those types, it stands alone.
    interface Matchers<R, T> extends IdentityMatchers<R> {}
  }
}

// For `@jest/globals`; vitest accepts those of jest's globals. Without jest, this module does not
// exist, and must not cause an error: hence the mark, in the only form that stays in declarations.
// biome-ignore lint/suspicious/noTsIgnore: where the module is, there is no error to expect.
/** @ts-ignore */
declare module "expect" {
  // The parameters of merged declarations must be the same.
  interface Matchers<R extends void | Promise<void>, T> extends IdentityMatchers<R> {}
}

/**
 * Matchers for the journal of an identity service. A failure prints the journal, which contains no
 * secrets.
 *
 * @see docs/testing.md
 * @example
 * expect.extend(identityMatchers);
 * expect(identity).toHaveIssued({ project: "web", times: 1 });
 * expect(identity).not.toHaveRefused();
 */
export const identityMatchers = {
  toHaveIssued(service: unknown, expected: IssuedExpectation = {}): MatcherResult {
    refuseUnknown(expected, ["user", "accountId", "scope", "project", "times"]);
    const { times: _times, scope: kind, ...wanted } = expected;
    return toResult("issued a token", service, expected, (entry) => {
      if (entry.method !== "POST" || entry.status !== 201) return false;
      const { user, account: accountId, scope } = entry;
      const project = scope?.kind === "project" ? scope.project : undefined;
      return (
        (kind === undefined || kind === scope?.kind) && isLike({ user, accountId, project }, wanted)
      );
    });
  },

  toHaveRefused(service: unknown, expected: RefusedExpectation = {}): MatcherResult {
    refuseUnknown(expected, ["reason", "user", "times"]);
    const { times: _times, ...wanted } = expected;
    return toResult(
      "refused a request",
      service,
      expected,
      (entry) => entry.status >= 400 && isLike(entry, wanted),
    );
  },
};

/** Missing members match anything. */
function isLike(seen: object, wanted: object): boolean {
  const values = new Map(Object.entries(seen));
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || values.get(name) === value,
  );
}

/** Checks members instead of the class: a test runner may have loaded this package twice. */
function journalOf(service: unknown): readonly JournalEntry[] {
  const { journal, journalDropped = 0 } = (
    typeof service === "object" && service !== null ? service : {}
  ) as { readonly journal?: unknown; readonly journalDropped?: number };
  if (journalDropped > 0)
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `The journal no longer has its ${journalDropped} oldest requests, and cannot be checked. Call clearJournal() before the requests that the test is about.`,
    );
  if (Array.isArray(journal)) return journal as readonly JournalEntry[];
  throw new IamTokensError(
    "ERR_TESTING_CONFIG_INVALID",
    "expect() was not given an identity service of this package.",
  );
}

/** A misspelt expectation would match everything. */
function refuseUnknown(expected: object, names: readonly string[]): void {
  const unknown = Object.keys(expected).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new IamTokensError(
    "ERR_TESTING_CONFIG_INVALID",
    `The matcher does not know ${JSON.stringify(unknown)}.`,
    { allowed: names.join(", ") },
  );
}

function toResult(
  what: string,
  service: unknown,
  { times, ...expected }: { readonly times?: number },
  isMeant: (entry: JournalEntry) => boolean,
): MatcherResult {
  const entries = journalOf(service);
  const found = entries.filter(isMeant).length;
  const wanted = times === undefined ? "at least once" : `${times} times`;
  const which = Object.keys(expected).length === 0 ? "" : ` of ${JSON.stringify(expected)}`;
  const lines = entries.map((entry) => `  ${lineOf(entry)}`).join("\n") || "  (empty)";
  const pass = times === undefined ? found > 0 : found === times;
  return {
    pass,
    // The message of a match is for `.not`.
    message: () =>
      `The identity service has ${what}${which}: ${found} times. Expected: ${pass ? "not " : ""}${wanted}.\nIts journal:\n${lines}`,
  };
}
