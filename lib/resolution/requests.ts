import type { App } from "cdktf";
import type { TokenRecord } from "../constructs/declarations/registry";
import type { ResolvedToken } from "../constructs/declarations/variables";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { isUnderCommandLine } from "../constructs/framework/internals";
import { stacksOfOurs, sweepOtherValues } from "../constructs/stack/files";
import { StackValues } from "../constructs/stack/stack-values";
import { warnOnce } from "../constructs/warnings";
import { tryValueFile } from "../delivery/value-file";
import { IamTokensError } from "../tokens";
import { assertNoFailures, type Failure, failureOf } from "./failures";
import type { IssueJob, IssueOutcome } from "./issuing";
import { jobOf } from "./job";
import { type Environment, optionsIn, type SynthTokensProps } from "./options";
import { ResolvedTokens } from "./resolved-tokens";

/** The requests for the tokens of an app: one for each distinct credential and scope. */
export interface Requests {
  readonly jobs: readonly IssueJob[];
  /** @throws ERR_RESOLUTION_FAILED */
  answered(outcomes: readonly IssueOutcome[]): ResolvedTokens;
  /** Gives each stack its values, for synthesis. */
  keep(): void;
}

/**
 * Finds the requests of an app, and what would prevent the use of their tokens: a declaration that
 * Terraform alone can evaluate, a folder that cannot be written to. A token that nobody could use
 * would still live for hours.
 *
 * @throws ERR_RESOLUTION_FAILED; ERR_TOKENS_NOT_RESOLVED where Terraform could only ask a person
 */
export function requestsOf(app: App, given: SynthTokensProps, environment: Environment): Requests {
  const { skipped, writeFile } = optionsIn(given, environment);
  const stacks = stacksOfOurs(app).flatMap((stack) => {
    const provider = EmbeddedProvider.getOrCreate(stack);
    const tokens = provider._registry.synthTokens;
    return tokens.length === 0 ? [] : new StackValues(provider, tokens, writeFile);
  });
  sweepOtherValues(
    app.outdir,
    stacks.map(({ stack }) => stack),
  );
  const wanted = skipped ? [] : stacks;
  if (wanted.length > 0 && !writeFile && isUnderCommandLine())
    throw new IamTokensError(
      "ERR_TOKENS_NOT_RESOLVED",
      "The CDKTF command line runs Terraform itself: it gets tokens only from a file, and none is written. No token was requested.",
      {
        remedy:
          "Set writeFile: true (with CI set, no file is the default), or IAM_TOKENS_SKIP_RESOLVE=1 for a command that needs no token.",
      },
    );
  const sharing = new Map<string, [IssueJob, ...TokenRecord[]]>();
  const failures: Failure[] = [];
  const attempt = (path: string, action: () => void): void => {
    try {
      action();
    } catch (error) {
      failures.push(failureOf(path, error));
    }
  };
  for (const { stack, tokens } of wanted) {
    for (const token of tokens)
      attempt(token.construct.node.path, () => {
        const job = jobOf(token, stack);
        const key = keyOf(job);
        sharing.set(key, [...(sharing.get(key) ?? ([job] as const)), token]);
      });
    if (writeFile)
      attempt(stack.node.path, () =>
        tryValueFile(EmbeddedProvider.getOrCreate(stack)._stackFolder),
      );
  }
  assertNoFailures(failures);
  const requests = [...sharing.values()];
  return {
    jobs: requests.map(([job]) => job),
    answered(outcomes) {
      const values = new Map<TokenRecord, ResolvedToken>();
      for (const [at, [, ...tokens]] of requests.entries()) {
        const outcome = outcomes[at] as IssueOutcome;
        for (const token of tokens) {
          const { path } = token.construct.node;
          if (outcome.failure !== undefined) failures.push({ path, text: outcome.failure });
          else {
            values.set(token, outcome);
            for (const text of outcome.warnings)
              warnOnce(token.construct, "WARN_ISSUED_WITH_REMARK", text);
          }
        }
      }
      assertNoFailures(failures);
      for (const stack of wanted) stack.take(values);
      return new ResolvedTokens(stacks);
    },
    keep() {
      for (const each of stacks) EmbeddedProvider.getOrCreate(each.stack)._values = each;
    },
  };
}

/** Who declared the service is only for messages. */
const keyOf = (job: IssueJob): string =>
  JSON.stringify({ ...job, provider: { ...job.provider, declared_by: undefined } });
