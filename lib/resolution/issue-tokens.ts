import { isMainThread, workerData } from "node:worker_threads";
import type { CtyObject } from "../plugin/cty/value";
import type {
  BlockSchema,
  DataSource,
  Diagnostic,
  EphemeralResource,
  OperationContext,
} from "../plugin/provider";
import { messageOf } from "../provider/configuration/diagnostics";
import { createIamProvider, type IamProvider } from "../provider/iam-provider";
import type { IamSession } from "../provider/objects/token-requests";
import type { IdentityAccess } from "../provider/process/identity-access";
import { takeVariables } from "../provider/process/process-context";
import { defined, Secret, TOKEN_DETAILS } from "../tokens";
import type { IssueJob, IssueOutcome, IssuingContext, KnownArguments, ThreadData } from "./issuing";

/** Jobs in progress: requests, and programs that print secrets. */
const AT_A_TIME = 8;

/**
 * Gets tokens through the same objects that Terraform would use: all their rules apply.
 *
 * @param identity by default the provider's own client
 */
export async function issueTokens(
  jobs: readonly IssueJob[],
  { variables, workingFolder }: IssuingContext,
  identity?: IdentityAccess,
): Promise<readonly IssueOutcome[]> {
  const provider = createIamProvider({
    processContext: { variables: takeVariables(variables), workingFolder, attached: false },
    ...defined({ identity }),
  });
  const outcomes: IssueOutcome[] = [];
  const waiting = jobs.entries();
  const work = async (): Promise<void> => {
    // All share one iterator: each takes the next free job.
    for (const [index, job] of waiting) outcomes[index] = await issue(job, provider);
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    await provider.close();
  }
  return outcomes;
}

async function issue(job: IssueJob, provider: IamProvider): Promise<IssueOutcome> {
  const block = complete(job.provider, provider.schema);
  const mistakes = errorsIn(provider.validate?.(block));
  if (mistakes.length > 0) return failed(mistakes);
  const operation = { signal: new AbortController().signal, log: (): void => {} };
  const { session } = await provider.configure(block, operation);
  // A block without mistakes always gets a session.
  const context = { session: session as IamSession, ...operation };
  const { values, diagnostics: found } = await get(job, provider, context);
  const token = values?.token;
  if (typeof token !== "string") return failed(errorsIn(found));
  const details = TOKEN_DETAILS.flatMap((name) => {
    const detail = values?.[name];
    return typeof detail === "string" ? [[name, detail] as const] : [];
  });
  return {
    token: Secret.of(token),
    details: details.length === 0 ? undefined : Object.fromEntries(details),
    warnings: (found ?? []).map(({ summary, detail }) => onOneLine(`${summary}: ${detail}`)),
  };
}

/** Opens or reads the token of a job. */
async function get(
  { storedIn, blockType, block }: IssueJob,
  { ephemeralResources, dataSources }: IamProvider,
  context: OperationContext<IamSession>,
): Promise<{
  readonly values?: CtyObject | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}> {
  if (storedIn === "memory") {
    const object = ephemeralResources[blockType] as EphemeralResource<IamSession>;
    const { result, diagnostics } = await object.open(complete(block, object.schema), context);
    return { values: result, diagnostics };
  }
  const object = dataSources[blockType] as DataSource<IamSession>;
  const { state, diagnostics } = await object.read(complete(block, object.schema), context);
  return { values: state, diagnostics };
}

/** Terraform passes every argument of the schema, null if it is missing. */
function complete(given: KnownArguments, schema: BlockSchema): CtyObject {
  return Object.fromEntries(
    Object.keys(schema.attributes).map((name) => [name, given[name] ?? null]),
  ) as CtyObject;
}

function errorsIn(diagnostics: readonly Diagnostic[] = []): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

function failed(errors: readonly Diagnostic[]): IssueOutcome {
  const texts = errors.map((each) => messageOf(each));
  return { failure: texts.join(" ") };
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** In a thread of its own: the program waits. */
async function issueInThisThread({ jobs, context, state, port }: ThreadData): Promise<void> {
  const say = (step: number) => {
    Atomics.store(state, 0, step);
    Atomics.notify(state, 0);
  };
  say(1);
  try {
    const outcomes = await issueTokens(jobs, context);
    // A clone has no methods.
    port.postMessage(
      outcomes.map((each) =>
        each.failure === undefined ? { ...each, token: each.token.reveal() } : each,
      ),
    );
  } finally {
    say(2);
  }
}

const given = workerData as Partial<ThreadData> | null;
if (!isMainThread && given?.state && given.jobs) void issueInThisThread(given as ThreadData);
