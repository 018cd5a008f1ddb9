import type { CtyObject } from "../plugin/cty/value";
import type {
  BlockSchema,
  DataSource,
  Diagnostic,
  EphemeralResource,
  OperationContext,
} from "../plugin/provider";
import { createIamProvider, type IamProvider } from "../provider/iam-provider";
import type { IamSession } from "../provider/objects/token-source";
import type { IdentityAccess } from "../provider/process/identity-access";
import { ERROR_CODES, type ErrorCode, Secret } from "../tokens";
import type {
  IssueJob,
  IssueOutcome,
  IssueSurroundings,
  IssueTokens,
  KnownArguments,
} from "./issuing";

/** Jobs, and so requests, under way. */
const AT_A_TIME = 8;

/** The attributes of an IAM token that are no secret and change with each one. */
const DETAILS = ["issued_at", "expires_at", "fingerprint", "auth_url"] as const;

/** @param identity by default the provider's own client */
export async function issueTokensWith(
  jobs: readonly IssueJob[],
  { variables, workingFolder, ended }: IssueSurroundings,
  identity?: IdentityAccess,
): Promise<readonly IssueOutcome[]> {
  const provider = createIamProvider({
    surroundings: { variables, workingFolder, attached: false },
    ...(identity === undefined ? {} : { identity }),
  });
  const outcomes: IssueOutcome[] = [];
  const waiting = jobs.entries();
  const work = async (): Promise<void> => {
    // All share one iterator: each takes the next job that nobody has.
    for (const [index, job] of waiting) {
      outcomes[index] = await issue(job, provider);
      ended();
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    await provider.close();
  }
  return outcomes;
}

/** Gets tokens by the very objects that Terraform would use: each rule of theirs holds here too. */
export const issueTokens: IssueTokens = (jobs, surroundings) => issueTokensWith(jobs, surroundings);

async function issue(job: IssueJob, provider: IamProvider): Promise<IssueOutcome> {
  const block = complete(job.provider, provider.schema);
  const mistakes = errorsIn(provider.validate?.(block));
  if (mistakes.length > 0) return failed(mistakes);
  const signal = new AbortController().signal;
  const log = (): void => {};
  const { session, diagnostics } = await provider.configure(block, {
    signal,
    log,
  });
  if (session === undefined) return failed(errorsIn(diagnostics));
  const context: OperationContext<IamSession> = { session, signal, log };
  const result =
    job.keptIn === "memory"
      ? await opened(job, provider.ephemeralResources[job.blockType], context)
      : await read(job, provider.dataSources[job.blockType], context);
  const token = result.values?.token;
  return typeof token === "string" ? issued(token, result) : failed(errorsIn(result.diagnostics));
}

interface Result {
  readonly values?: CtyObject | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

async function opened(
  job: IssueJob,
  object: EphemeralResource<IamSession> | undefined,
  context: OperationContext<IamSession>,
): Promise<Result> {
  if (object === undefined) return {};
  const { result, diagnostics } = await object.open(complete(job.block, object.schema), context);
  return { values: result, diagnostics };
}

async function read(
  job: IssueJob,
  object: DataSource<IamSession> | undefined,
  context: OperationContext<IamSession>,
): Promise<Result> {
  if (object === undefined) return {};
  const { state, diagnostics } = await object.read(complete(job.block, object.schema), context);
  return { values: state, diagnostics };
}

/** Terraform gives every argument of the schema, null where there is none. */
function complete(given: KnownArguments, schema: BlockSchema): CtyObject {
  return Object.fromEntries(
    Object.keys(schema.attributes).map((name) => [name, given[name] ?? null]),
  ) as CtyObject;
}

function issued(token: string, { values, diagnostics }: Result): IssueOutcome {
  const details = DETAILS.map((name) => [name, values?.[name]] as const);
  const known = details.filter(
    (detail): detail is readonly [(typeof DETAILS)[number], string] =>
      typeof detail[1] === "string",
  );
  return {
    token: Secret.of(token),
    details: known.length === DETAILS.length ? Object.fromEntries(known) : undefined,
    warnings: (diagnostics ?? []).map(({ summary, detail }) => onOneLine(`${summary}: ${detail}`)),
  };
}

function errorsIn(diagnostics: readonly Diagnostic[] = []): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/**
 * The code stands at the end of a diagnostic's summary; one without is of something that nobody
 * expected.
 */
function failed(errors: readonly Diagnostic[]): IssueOutcome {
  const texts = errors.map(({ summary, detail }) => {
    const code = codeIn(summary);
    return onOneLine(code === undefined ? `${summary}. ${detail}` : `${detail} [${code}]`);
  });
  const code = errors.map(({ summary }) => codeIn(summary)).find((each) => each !== undefined);
  return {
    failure: {
      code: code ?? "ERR_RESOLUTION_FAILED",
      text: texts.join(" ") || "The provider gave no token.",
    },
  };
}

function codeIn(summary: string): ErrorCode | undefined {
  const code = /\[(ERR_[A-Z0-9_]+)\]$/.exec(summary)?.[1];
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
