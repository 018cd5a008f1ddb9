import { IamTokensError, type KIND_OF_SCOPE } from "../tokens";
import { type JournalEntry, lineOf, type RefusalReason } from "./identity/journal";

/** Which of the issued tokens are meant; what is left out may be anything. */
export interface IssuedExpectation {
  readonly user?: string;
  readonly accountId?: string;
  /** "account" or "project". */
  readonly scope?: keyof typeof KIND_OF_SCOPE;
  readonly project?: string;
  /** How often, exactly. Default: at least once. */
  readonly times?: number;
}

/** Which of the refused requests are meant; what is left out may be anything. */
export interface RefusedExpectation {
  /** What the service's journal says; the client was not told. */
  readonly reason?: RefusalReason;
  readonly user?: string;
  /** How often, exactly. Default: at least once. */
  readonly times?: number;
}

/** What a matcher tells jest, or any other `expect` with the same way of extending it. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers for an identity service: see {@link identityMatchers}. */
export interface IdentityMatchers<Result> {
  /** The service has issued such tokens since its journal was cleared. */
  toHaveIssued(expected?: IssuedExpectation): Result;
  /** The service has refused such requests since its journal was cleared. */
  toHaveRefused(expected?: RefusedExpectation): Result;
}

declare global {
  namespace jest {
    // As @types/jest declares it, which merges with this; without those types it stands alone.
    // biome-ignore lint/complexity/noBannedTypes: the parameters of merged declarations must be the same.
    interface Matchers<R, T = {}> extends IdentityMatchers<R> {}
  }
}

// What `@jest/globals` gives; vitest's takes those of jest's globals. Who has no jest has no such
// module, and is not to hear of it: hence the mark, in the one form that stays in declarations.
// biome-ignore lint/suspicious/noTsIgnore: where the module is, there is no error to expect.
/** @ts-ignore */
declare module "expect" {
  // The parameters of merged declarations must be the same.
  interface Matchers<R extends void | Promise<void>, T = unknown> extends IdentityMatchers<R> {}
}

/**
 * Matchers over the journal of an identity service. A failure shows the journal, which holds no
 * secret.
 *
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

/** What is left out may be anything. */
function isLike(seen: object, wanted: object): boolean {
  const values = new Map(Object.entries(seen));
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || values.get(name) === value,
  );
}

/** By what it has, and not by its class: a test runner may have loaded this package twice. */
function journalOf(service: unknown): readonly JournalEntry[] {
  const { journal } = (typeof service === "object" && service !== null ? service : {}) as {
    readonly journal?: unknown;
  };
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
    `The matcher knows no ${JSON.stringify(unknown)}.`,
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
    // A matcher that passes is asked for its message when it should not have passed.
    message: () =>
      `The identity service has ${what}${which}: ${found} times. Expected: ${pass ? "not " : ""}${wanted}.\nIts journal:\n${lines}`,
  };
}
