import { App, type TerraformStack } from "cdktf";
import type { ResolvedToken, TokenRecord } from "../constructs/declarations/registry";
import { stacksOfOurs, sweepOtherValues } from "../constructs/embedded/our-stacks";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { isUnderCommandLine } from "../constructs/framework/internals";
import { assertUsable } from "../constructs/framework/usable";
import { valuesOf } from "../constructs/survey/synth-tokens";
import { TokenResolution } from "../constructs/values/token-resolution";
import { warnOnce } from "../constructs/warnings/annotate";
import { isAcknowledged, warningText } from "../constructs/warnings/warnings";
import { checkValueFolder } from "../delivery/values/deliver-values";
import { OWN_PACKAGE } from "../framework";
import { IamTokensError, inert, Secret } from "../tokens";
import { type Failure, failureOf, resolutionFailed } from "./failures";
import { issueRequested } from "./issue-requested";
import { type ResolveTokensOptions, type Settings, settingsOf } from "./options";
import { ResolvedTokens, type StackValues } from "./resolved-tokens";
import { type TokenRequests, tokenRequestsOf } from "./token-requests";
import { type ValueDestination, valueDestinationOf } from "./value-destination";

/**
 * The passes of an app, one after another: a second one requests only tokens that the first has not
 * resolved.
 */
const passes = new WeakMap<App, Promise<unknown>>();

/**
 * Resolves the tokens of `TokenResolution.SYNTH` in all stacks of an app, before `app.synth()`. In
 * one pass, each distinct credential and scope is issued once, with at most eight requests at a
 * time. `app.synth()` then writes each stack's values into `iam-tokens.auto.tfvars.json` in its
 * folder, readable only for its owner; not for remote runs and in CI (see {@link
 * ResolveTokensOptions.writeFile}).
 *
 * A further call resolves only tokens that were declared since. All rules of the provider apply:
 * one source of credentials, `IAM_TOKENS_ALLOWED_AUTH_URLS`, `minRemaining`, proxies and
 * certificates. Relative paths start from the working folder.
 *
 * @throws ERR_RESOLUTION_FAILED with every failure by construct path; nothing is then kept or
 * written. Declarations and folders are checked first: if one of them is wrong, no token is
 * requested. Otherwise all are tried, even if some fail. ERR_PROP_INVALID if `app` is not an App,
 * or an option is wrong
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
        allowed: "the App whose stacks will be synthesized",
      },
    );
  }
  assertUsable(app);
  const settings = settingsOf(options);
  const before = passes.get(app) ?? Promise.resolve();
  const own = before.then(
    () => pass(app, settings),
    () => pass(app, settings),
  );
  passes.set(app, own);
  return own;
}

const hasSynthTokens = (stack: TerraformStack): boolean =>
  EmbeddedProvider.of(stack)._registry.tokens.some(
    (token) => token.resolution === TokenResolution.SYNTH,
  );

async function pass(app: App, settings: Settings): Promise<ResolvedTokens> {
  const stacks = stacksOfOurs(app).filter(hasSynthTokens);
  const all = stacks.map((stack) => ({
    ...tokenRequestsOf(stack, process.cwd()),
    ...valueDestinationOf(stack, settings),
  }));
  if (settings.skip) return skip(app, all, settings);

  // The CDKTF command line runs Terraform itself: values get there from its app only in a file.
  const isAsked = ({ isWritten }: ValueDestination): boolean =>
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
  // A token that nobody could use would still live for hours.
  if (foreseen.length > 0) throw resolutionFailed(foreseen, tokens);
  const issued = await issueRequested(
    plans.flatMap(({ requested }) => requested),
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
  for (const { construct, text } of issued.warnings) {
    warnOnce(construct, "WARN_ISSUED_WITH_REMARK", text);
  }
  sweepOtherValues(app.outdir, stacks);
  // It prints annotations.
  if (isUnderCommandLine()) return resolved;
  const notes = plans.flatMap(({ stack, uploadNotes }) =>
    uploadNotes().filter(({ code }) => !isAcknowledged(stack, code)),
  );
  for (const note of new Set(notes.map(warningText)))
    settings.stream.write(inert(`${OWN_PACKAGE}: ${note}\n`));
  return resolved;
}

function skip(app: App, plans: readonly TokenRequests[], { stream }: Settings): ResolvedTokens {
  for (const { registry } of plans) {
    registry.pass = { skipped: true, isWritten: () => false, values: new Map(), notes: () => [] };
  }
  sweepOtherValues(
    app.outdir,
    plans.map(({ stack }) => stack),
  );
  const tokens = plans.reduce((sum, { records }) => sum + records.length, 0);
  if (stream.isTTY === true && tokens > 0) stream.write("Resolving tokens was skipped.\n");
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

/** The values of a stack's tokens, including those of earlier passes, but not of removed tokens. */
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

/** Terraform's form of variables in its environment: strings unchanged, everything else as JSON. */
function variablesOf(values: ReadonlyMap<TokenRecord, ResolvedToken>): StackValues {
  const entries = [...values].flatMap(([record, value]) => Object.entries(valuesOf(record, value)));
  return new Map(
    entries.map(([name, value]) => [
      name,
      Secret.of(typeof value === "string" ? value : JSON.stringify(value)),
    ]),
  );
}
