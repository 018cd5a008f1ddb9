import type { CtyObject } from "../plugin/cty/value";
import type { BlockSchema, Diagnostic, OperationContext } from "../plugin/provider";
import { createIamProvider, type IamProvider } from "../provider/iam-provider";
import type { IamSession } from "../provider/objects/token-source";
import type { IdentityAccess } from "../provider/process/identity-access";
import { codeAtEnd, defined, Secret } from "../tokens";
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
    ...defined({ identity }),
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
  const context = { session, signal, log };
  const { values, diagnostics: found } = await get(job, provider, context);
  const token = values?.token;
  if (typeof token !== "string") return failed(errorsIn(found));
  const details = DETAILS.flatMap((name) => {
    const detail = values?.[name];
    return typeof detail === "string" ? [[name, detail] as const] : [];
  });
  return {
    token: Secret.of(token),
    details: details.length === DETAILS.length ? Object.fromEntries(details) : undefined,
    warnings: (found ?? []).map(({ summary, detail }) => onOneLine(`${summary}: ${detail}`)),
  };
}

/** Opens or reads what the job names. */
async function get(
  { keptIn, blockType, block }: IssueJob,
  { ephemeralResources, dataSources }: IamProvider,
  context: OperationContext<IamSession>,
): Promise<{
  readonly values?: CtyObject | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}> {
  if (keptIn === "memory") {
    const object = ephemeralResources[blockType];
    const opened = await object?.open(complete(block, object.schema), context);
    return { values: opened?.result, diagnostics: opened?.diagnostics };
  }
  const object = dataSources[blockType];
  const read = await object?.read(complete(block, object.schema), context);
  return { values: read?.state, diagnostics: read?.diagnostics };
}

/** Terraform gives every argument of the schema, null where there is none. */
function complete(given: KnownArguments, schema: BlockSchema): CtyObject {
  return Object.fromEntries(
    Object.keys(schema.attributes).map((name) => [name, given[name] ?? null]),
  ) as CtyObject;
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
    const code = codeAtEnd(summary);
    return onOneLine(code === undefined ? `${summary}. ${detail}` : `${detail} [${code}]`);
  });
  const code = errors.map(({ summary }) => codeAtEnd(summary)).find(Boolean);
  return {
    failure: {
      code: code ?? "ERR_RESOLUTION_FAILED",
      text: texts.join(" ") || "The provider gave no token.",
    },
  };
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
