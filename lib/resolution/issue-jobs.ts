import type { ResolvedToken } from "../constructs/declarations/pass";
import type { TokenRecord } from "../constructs/declarations/registry";
import { warnOnce } from "../constructs/warnings";
import { maskCommand } from "../tokens";
import type { Failure } from "./failures";
import type { IssueJob, IssueOutcome, IssueTokens } from "./issuing";
import type { Surroundings } from "./options";
import type { TokenRequest } from "./token-requests";

/** Issues all tokens; equal jobs are done once. What a service remarks is a warning. */
export async function issueAll(
  requests: readonly TokenRequest[],
  surroundings: Surroundings,
): Promise<{
  readonly values: ReadonlyMap<TokenRecord, ResolvedToken>;
  readonly failures: readonly Failure[];
}> {
  const values = new Map<TokenRecord, ResolvedToken>();
  const failures: Failure[] = [];
  const distinct = new Map(requests.map(({ job }) => [keyOf(job), job]));
  const outcomes = await outcomesOf([...distinct.values()], surroundings);
  const { environment, stream } = surroundings;
  const masks = outcomes.map((each) =>
    each.failure === undefined ? maskCommand(each.token, environment) : "",
  );
  for (const mask of masks.filter(Boolean)) stream.write(mask);
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]]));
  for (const { record, job } of requests) {
    const outcome = byKey.get(keyOf(job)) as IssueOutcome;
    if (outcome.failure !== undefined) {
      failures.push({ path: record.construct.node.path, ...outcome.failure });
      continue;
    }
    values.set(record, outcome);
    for (const text of outcome.warnings)
      warnOnce(record.construct, "WARN_ISSUED_WITH_REMARK", text);
  }
  return { values, failures };
}

/** Who declared the service is only for messages. */
const keyOf = (job: IssueJob): string =>
  JSON.stringify({ ...job, provider: { ...job.provider, declared_by: undefined } });

/** Back to the beginning of the line, and delete the rest of it. */
const AGAIN = "\r\u001b[K";

/** Does jobs, and shows how many are done. */
async function outcomesOf(
  jobs: readonly IssueJob[],
  { environment, stream }: Surroundings,
): Promise<readonly IssueOutcome[]> {
  if (jobs.length === 0) return [];
  const show = (text: string): unknown => stream.isTTY === true && stream.write(`${AGAIN}${text}`);
  let done = 0;
  const progress = (): unknown => show(`Resolving tokens: ${done++} of ${jobs.length}`);
  progress();
  try {
    const context = { variables: environment, workingFolder: process.cwd(), ended: progress };
    return await loadIssueTokens()(jobs, context);
  } finally {
    show("");
  }
}

/**
 * Loads the provider's own code with an HTTP client. Only here: a program that requests no token
 * does not load it. Not by `import()`, for which TypeScript demands a file extension that no test
 * runner here resolves.
 */
function loadIssueTokens(): IssueTokens {
  return (require("./issue-tokens") as { readonly issueTokens: IssueTokens }).issueTokens;
}
