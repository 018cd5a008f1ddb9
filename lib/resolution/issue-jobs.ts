import type { IssueJob, IssueOutcome, IssueTokens } from "./issuing";
import type { Surroundings } from "./options";

/** Outcomes of all jobs, each next to its job's place. Equal jobs are done once. */
export async function issueJobs(
  jobs: readonly IssueJob[],
  { environment, stream }: Surroundings,
): Promise<readonly IssueOutcome[]> {
  const distinct = new Map(jobs.map((job) => [keyOf(job), job]));
  if (distinct.size === 0) return [];
  const show = (text: string): unknown => stream.isTTY === true && stream.write(`${AGAIN}${text}`);
  let done = 0;
  const progress = (): unknown => show(`Resolving tokens: ${done} of ${distinct.size}`);
  progress();
  try {
    const ended = (): void => {
      done++;
      progress();
    };
    const context = { variables: environment, workingFolder: process.cwd(), ended };
    const outcomes = await loadIssueTokens()([...distinct.values()], context);
    const byKey = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]]));
    return jobs.map((job) => byKey.get(keyOf(job)) as IssueOutcome);
  } finally {
    show("");
  }
}

/** Back to the beginning of the line, and delete the rest of it. */
const AGAIN = "\r\u001b[K";

/** Who declared the service is only for messages. */
const keyOf = (job: IssueJob): string =>
  JSON.stringify({ ...job, provider: { ...job.provider, declared_by: undefined } });

/**
 * Loads the provider's own code with an HTTP client. Only here: a program that requests no token
 * does not load it. Not by `import()`, for which TypeScript demands a file extension that no test
 * runner here resolves.
 */
function loadIssueTokens(): IssueTokens {
  return (require("./issue-tokens") as { readonly issueTokens: IssueTokens }).issueTokens;
}
