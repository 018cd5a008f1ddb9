import type { IConstruct } from "constructs";
import type { ResolvedToken, TokenRecord } from "../constructs/declarations/registry";
import type { Failure } from "./failures";
import type { IssueJob, IssueOutcome, IssueTokens } from "./issuing";
import type { Settings } from "./options";
import type { RequestedToken } from "./token-requests";

/** Result for all requested tokens. */
interface Issued {
  readonly values: Map<TokenRecord, ResolvedToken>;
  /** Distinct tokens that were issued. */
  readonly requests: number;
  readonly failures: Failure[];
  readonly warnings: { readonly construct: IConstruct; readonly text: string }[];
}

/**
 * Gets all requested tokens. Equal requests share one job. All are tried, even if some fail.
 */
export async function issueRequested(
  requested: readonly RequestedToken[],
  tokens: number,
  settings: Settings,
): Promise<Issued> {
  const shares = new Map<string, { readonly job: IssueJob; readonly records: TokenRecord[] }>();
  for (const { job, record } of requested) {
    // Who declared the service is only for messages.
    const key = JSON.stringify({ ...job, provider: { ...job.provider, declared_by: undefined } });
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
 * Loads the provider's own code with an HTTP client. Only here: a program that requests no token
 * does not load it. Not by `import()`, for which TypeScript demands a file extension that no test
 * runner here resolves.
 */
function loadIssueTokens(): IssueTokens {
  return (require("./issue-tokens") as { readonly issueTokens: IssueTokens }).issueTokens;
}

/** How often the seconds are updated while nothing else changes. */
const TICK_MS = 1_000;

/** Back to the beginning of the line, and delete the rest of it. */
const AGAIN = "\r\u001b[K";

/**
 * Starts to report progress: one line that is rewritten, with numbers only. Without a terminal,
 * nothing is written. `end` gets the line that stays; none after a failure.
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
