import { App, type TerraformStack } from "cdktf";
import { warnOnce } from "../constructs/blocks/annotate";
import type { ResolvedToken, TokenRecord } from "../constructs/blocks/registry";
import {
  EmbeddedProvider,
  stacksWithSynthTokens,
  sweepOtherValues,
} from "../constructs/embedded-provider";
import { valuesOf } from "../constructs/survey/synth-tokens";
import { checkValueFolder } from "../delivery/values/deliver-values";
import { IamTokensError, Secret } from "../tokens";
import { type Failure, failureOf, resolutionFailed } from "./failures";
import { issueWanted } from "./issue-wanted";
import { type ResolveTokensOptions, type Settings, settingsOf } from "./options";
import { ResolvedTokens, type StackValues } from "./resolved-tokens";
import { type Fate, fateOf } from "./value-fate";
import { type StackWishes, wishesOf } from "./wanted-tokens";

/** The passes of an app, one after the other: a second one asks only for what the first has not. */
const passes = new WeakMap<App, Promise<unknown>>();

/**
 * Resolves the tokens of `TokenResolution.SYNTH` in all stacks of an app, before `app.synth()`: one
 * pass, each distinct credential and scope issued once, at most eight requests under way.
 * `app.synth()` then writes each stack's values into `iam-tokens.auto.tfvars.json` beside it, for
 * its owner alone; not for remote runs and in CI (see {@link ResolveTokensOptions.writeFile}).
 *
 * Called again, it resolves only tokens that were declared since. All rules of the provider hold:
 * one source of credentials, `IAM_TOKENS_ALLOWED_AUTH_URLS`, `minRemaining`, proxies and
 * certificates. Relative files are relative to the working folder.
 *
 * @throws ERR_RESOLUTION_FAILED with every failure by construct path; then nothing was kept or
 * written. Declarations and folders are checked first: when one of them is wrong, no token is asked
 * for. Otherwise all are tried, whatever becomes of the others. ERR_PROP_INVALID when `app` is no
 * App, or an option is wrong
 * @see docs/synth.md
 * @example
 * const app = new App();
 * new WebStack(app, "web");
 * resolveTokens(app).then(() => app.synth());
 */
export async function resolveTokens(
  app: App,
  options: ResolveTokensOptions = {},
): Promise<ResolvedTokens> {
  if (typeof app !== "object" || app === null || !App.isApp(app)) {
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `resolveTokens was given ${app === undefined ? "nothing" : "something else"}.`,
      {
        allowed: "the App whose stacks are to be synthesized",
      },
    );
  }
  const settings = settingsOf(options);
  const before = passes.get(app) ?? Promise.resolve();
  const own = before.then(
    () => pass(app, settings),
    () => pass(app, settings),
  );
  passes.set(app, own);
  return own;
}

async function pass(app: App, settings: Settings): Promise<ResolvedTokens> {
  const stacks = stacksWithSynthTokens(app);
  const all = stacks.map((stack) => ({
    ...wishesOf(stack, process.cwd()),
    ...fateOf(stack, settings),
  }));
  if (settings.skip) return skip(app, all, settings);

  // The CDKTF command line runs Terraform itself: only a file takes values from its app to there.
  const isAsked = ({ isWritten }: Fate): boolean =>
    !isUnderCommandLine() || settings.onResolved !== undefined || isWritten();
  const plans = all.filter(isAsked);
  for (const { registry, nowhereNote } of all.filter((plan) => !isAsked(plan))) {
    registry.pass = {
      skipped: false,
      unasked: true,
      isWritten: () => false,
      values: new Map(),
      notes: () => [nowhereNote(false)],
    };
  }

  const tokens = plans.reduce((sum, { records }) => sum + records.length, 0);
  const foreseen = plans.flatMap(({ stack, isWritten, failures, records }) =>
    records.length === 0 || !isWritten() ? failures : [...failures, ...folderFailure(stack)],
  );
  // A token that nobody could take would live for hours all the same.
  if (foreseen.length > 0) throw resolutionFailed(foreseen, tokens);
  const issued = await issueWanted(
    plans.flatMap(({ wanted }) => wanted),
    tokens,
    settings,
  );
  if (issued.failures.length > 0) throw resolutionFailed(issued.failures, tokens);

  let taken = settings.onResolved !== undefined;
  const values = new Map(
    plans.map(({ stack, registry, records }) => [
      stack,
      allOf(records, registry.pass?.values, issued.values),
    ]),
  );
  const texts = () => new Map([...values].map(([stack, each]) => [stack, variablesOf(each)]));
  const resolved = new ResolvedTokens(
    { tokens, requests: issued.requests, skipped: false },
    texts,
    () => {
      taken = true;
    },
  );
  await settings.onResolved?.(resolved);
  for (const { stack, registry, isWritten, uploadNotes, nowhereNote } of plans) {
    registry.pass = {
      skipped: false,
      isWritten,
      values: values.get(stack) ?? new Map(),
      notes: () => [...uploadNotes(), ...(isWritten() || taken ? [] : [nowhereNote(true)])],
    };
  }
  for (const { construct, text } of issued.warnings) warnOnce(construct, text);
  sweepOtherValues(app.outdir, stacks);
  // It prints what is annotated.
  if (isUnderCommandLine()) return resolved;
  for (const note of new Set(plans.flatMap(({ uploadNotes }) => uploadNotes())))
    settings.stream.write(`cdktf-iam-tokens: ${note}\n`);
  return resolved;
}

/** The CDKTF command line alone gives its app a context so. */
function isUnderCommandLine(): boolean {
  return process.env.CDKTF_CONTEXT_JSON !== undefined;
}

function skip(app: App, plans: readonly StackWishes[], { stream }: Settings): ResolvedTokens {
  for (const { registry } of plans) {
    registry.pass = { skipped: true, isWritten: () => false, values: new Map(), notes: () => [] };
  }
  sweepOtherValues(
    app.outdir,
    plans.map(({ stack }) => stack),
  );
  const tokens = plans.reduce((sum, { records }) => sum + records.length, 0);
  if (stream.isTTY === true && tokens > 0) stream.write("Resolving tokens is skipped.\n");
  return new ResolvedTokens(
    { tokens: 0, requests: 0, skipped: true },
    () => new Map(),
    () => {},
  );
}

function folderFailure(stack: TerraformStack): readonly Failure[] {
  try {
    checkValueFolder(EmbeddedProvider.of(stack)._stackFolder);
    return [];
  } catch (error) {
    return [failureOf(stack.node.path, error)];
  }
}

/** The values of a stack's tokens, those of earlier passes too; not of tokens that are gone. */
function allOf(
  records: readonly TokenRecord[],
  ...sources: readonly (ReadonlyMap<object, ResolvedToken> | undefined)[]
): ReadonlyMap<TokenRecord, ResolvedToken> {
  const values = records.flatMap((record) => {
    const value = sources.map((source) => source?.get(record)).find((each) => each !== undefined);
    return value === undefined ? [] : [[record, value] as const];
  });
  return new Map(values);
}

/** What Terraform takes from its environment: texts as they are, all else as JSON. */
function variablesOf(values: ReadonlyMap<TokenRecord, ResolvedToken>): StackValues {
  const entries = [...values].flatMap(([record, value]) => Object.entries(valuesOf(record, value)));
  return new Map(
    entries.map(([name, value]) => [
      name,
      Secret.of(typeof value === "string" ? value : JSON.stringify(value)),
    ]),
  );
}
