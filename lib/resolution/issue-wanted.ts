import type { IConstruct } from "constructs";
import type { ResolvedToken, TokenRecord } from "../constructs/blocks/registry";
import type { Failure } from "./failures";
import type { IssueJob, IssueOutcome, IssueTokens } from "./issuing";
import type { Settings } from "./options";
import type { WantedToken } from "./wanted-tokens";

/** What came of all wanted tokens. */
interface Issued {
  readonly values: Map<TokenRecord, ResolvedToken>;
  /** Distinct tokens that were issued. */
  readonly requests: number;
  readonly failures: Failure[];
  readonly warnings: { readonly construct: IConstruct; readonly text: string }[];
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
  const shares = new Map<string, { readonly job: IssueJob; readonly records: TokenRecord[] }>();
  for (const { job, record } of wanted) {
    const key = JSON.stringify(job);
    const share = shares.get(key) ?? { job, records: [] };
    shares.set(key, share);
    share.records.push(record);
  }
  const all = [...shares.values()];
  if (all.length === 0) return sumUp([], []);
  const progress = beginProgress(all.length, settings);
  let line: string | undefined;
  try {
    const outcomes = await loadIssueTokens()(
      all.map(({ job }) => job),
      { variables: settings.environment, workingFolder: process.cwd(), ended: progress.step },
    );
    const issued = sumUp(
      outcomes,
      all.map(({ records }) => records),
    );
    if (issued.failures.length === 0)
      line = `Resolved ${count(tokens, "token")} with ${count(issued.requests, "request")}`;
    return issued;
  } finally {
    progress.end(line);
  }
}

function sumUp(
  outcomes: readonly IssueOutcome[],
  shares: readonly (readonly TokenRecord[])[],
): Issued {
  const issued: Issued = { values: new Map(), requests: 0, failures: [], warnings: [] };
  const distinct = new Set<string>();
  for (const [index, outcome] of outcomes.entries()) {
    for (const record of shares[index] ?? []) {
      const { construct } = record;
      if (outcome.failure !== undefined) {
        issued.failures.push({ path: construct.node.path, ...outcome.failure });
        continue;
      }
      const { token, details } = outcome;
      if (details !== undefined) distinct.add(token.reveal());
      issued.values.set(record, { token, details });
      issued.warnings.push(...outcome.warnings.map((text) => ({ construct, text })));
    }
  }
  return { ...issued, requests: distinct.size };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/**
 * Loads what does it: the provider's own code, with an HTTP client. Only here, so that a program
 * that never asks for a token does not load it; and not by `import()`, which TypeScript wants with
 * a file extension that no test runner here resolves.
 */
function loadIssueTokens(): IssueTokens {
  return (require("./issue-tokens") as { readonly issueTokens: IssueTokens }).issueTokens;
}

/** How often the seconds move on while nothing else does. */
const TICK_MS = 1_000;

/** Back to the beginning of the line, and the rest of it gone. */
const AGAIN = "\r\u001b[K";

/**
 * Begins to show progress: one line that is rewritten, with numbers only. Where nobody watches,
 * nothing is written. `end` is given the line that stays; none when it failed.
 */
function beginProgress(
  total: number,
  { stream, now }: Settings,
): { readonly step: () => void; readonly end: (last?: string) => void } {
  if (stream.isTTY !== true || total === 0) return { step: () => {}, end: () => {} };
  const started = now();
  let done = 0;
  const seconds = (): number => Math.max(0, Math.round((now() - started) / 1000));
  const show = (): unknown =>
    stream.write(`${AGAIN}Resolving tokens: ${done} of ${total} (${seconds()} s)`);
  show();
  const timer = setInterval(show, TICK_MS);
  timer.unref();
  return {
    step() {
      done++;
      show();
    },
    end(last) {
      clearInterval(timer);
      stream.write(last === undefined ? AGAIN : `${AGAIN}${last} (${seconds()} s)\n`);
    },
  };
}
