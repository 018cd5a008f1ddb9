import type { IConstruct } from "constructs";
import type { ResolvedToken, TokenRecord } from "../constructs/blocks/registry";
import type { Failure } from "./failures";
import type { IssueOutcome } from "./issuing";
import { loadIssueTokens } from "./load-issue-tokens";
import type { Settings } from "./options";
import { beginProgress } from "./progress";
import type { WantedToken } from "./wanted-tokens";

/** What came of all wanted tokens. */
export interface Issued {
  readonly values: ReadonlyMap<TokenRecord, ResolvedToken>;
  /** Distinct tokens that were issued. */
  readonly requests: number;
  readonly failures: readonly Failure[];
  readonly warnings: readonly { readonly construct: IConstruct; readonly text: string }[];
}

/**
 * Gets all wanted tokens, each job once for all that want the same. All are tried, whatever becomes
 * of the others.
 */
export async function issueWanted(
  wanted: readonly WantedToken[],
  tokens: number,
  settings: Settings,
): Promise<Issued> {
  const groups = new Map<string, WantedToken[]>();
  for (const each of wanted) {
    const key = JSON.stringify(each.job);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  if (groups.size === 0) return { values: new Map(), requests: 0, failures: [], warnings: [] };
  const shares = [...groups.values()];
  const progress = beginProgress(shares.length, settings);
  let line: string | undefined;
  try {
    const outcomes = await loadIssueTokens()(
      shares.flatMap(([first]) => (first === undefined ? [] : [first.job])),
      {
        variables: settings.environment,
        workingFolder: process.cwd(),
        ended: () => progress.step(),
      },
    );
    const issued = sumUp(shares.map((share, index) => [share, outcomes[index] as IssueOutcome]));
    if (issued.failures.length === 0)
      line = `Resolved ${count(tokens, "token")} with ${count(issued.requests, "request")}`;
    return issued;
  } finally {
    progress.end(line);
  }
}

function sumUp(
  outcomes: readonly (readonly [share: readonly WantedToken[], outcome: IssueOutcome])[],
): Issued {
  const values = new Map<TokenRecord, ResolvedToken>();
  const distinct = new Set<string>();
  const failures: Failure[] = [];
  const warnings: { construct: IConstruct; text: string }[] = [];
  for (const [share, outcome] of outcomes) {
    if (outcome.failure === undefined && outcome.details !== undefined)
      distinct.add(outcome.token.reveal());
    for (const { record } of share) {
      if (outcome.failure !== undefined) {
        failures.push({ path: record.construct.node.path, ...outcome.failure });
        continue;
      }
      values.set(record, { token: outcome.token, details: outcome.details });
      for (const text of outcome.warnings) warnings.push({ construct: record.construct, text });
    }
  }
  return { values, requests: distinct.size, failures, warnings };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
