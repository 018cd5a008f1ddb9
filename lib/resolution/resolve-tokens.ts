import type { App, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import type { ResolvedToken, TokenRecord } from "../constructs/declarations/registry";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { isUnderCommandLine } from "../constructs/framework/internals";
import { assertUsable } from "../constructs/framework/usable";
import { stacksOfOurs, sweepOtherValues } from "../constructs/stack/files";
import { runsRemotely } from "../constructs/stack/machines";
import { synthTokensOf, valuesOf } from "../constructs/survey/synth-tokens";
import { assertKind, assertProps, FLAG, type KindsOf, kind } from "../constructs/values/props";
import { isAcknowledged, type Warning, warningText, warnOnce } from "../constructs/warnings";
import { tryValueFile } from "../delivery/values";
import { OWN_PACKAGE } from "../framework";
import { inert, Secret } from "../tokens";
import { type Failure, failureOf, resolutionFailed } from "./failures";
import { issueJobs } from "./issue-jobs";
import { ciVariable, isSkipped, type ResolveTokensOptions, type Surroundings } from "./options";
import { ResolvedTokens, type StackValues } from "./resolved-tokens";
import { type RequestedToken, tokenRequestsOf } from "./token-requests";

/**
 * Resolves the tokens of `TokenResolution.SYNTH` in all stacks of an app, before `app.synth()`. In
 * one pass, each distinct credential and scope is issued once, with at most eight requests at a
 * time. `app.synth()` then writes each stack's values into `iam-tokens.auto.tfvars.json` in its
 * folder, readable only for its owner; not for remote runs and in CI (see {@link
 * ResolveTokensOptions.writeFile}).
 *
 * All rules of the provider apply: one source of credentials, `IAM_TOKENS_ALLOWED_AUTH_URLS`,
 * `minRemaining`, proxies and certificates. Relative paths start from the working folder.
 *
 * @throws ERR_RESOLUTION_FAILED with every failure by construct path; nothing is then kept or
 * written. Declarations and folders are checked first: if one of them is wrong, no token is
 * requested. Otherwise all are tried, even if some fail
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
  return resolveTokensIn(app, options, { environment: process.env, stream: process.stderr });
}

/** {@link resolveTokens} in other surroundings than the process. */
export async function resolveTokensIn(
  app: App,
  { skip, writeFile, onResolved, ...more }: ResolveTokensOptions,
  surroundings: Surroundings,
): Promise<ResolvedTokens> {
  assertKind("The argument of resolveTokens", app, APP);
  assertUsable(app);
  assertProps({ skip, writeFile, onResolved, ...more }, OPTIONS);
  const { environment, stream } = surroundings;
  const ci = ciVariable(environment);
  const plans = stacksOfOurs(app)
    .map((stack) => planOf(stack, writeFile, ci))
    .filter(({ records }) => records.length > 0);
  const stacks = plans.map(({ stack }) => stack);
  sweepOtherValues(app.outdir, stacks);
  if (skip ?? isSkipped(environment)) {
    for (const { registry } of plans)
      registry.pass = { skipped: true, ...NOTHING, notes: () => [] };
    const nothing = new Map(stacks.map((stack) => [stack, () => new Map()] as const));
    return new ResolvedTokens({ tokens: 0, requests: 0, skipped: true }, nothing, () => {});
  }

  // The CDKTF command line runs Terraform itself: values get there from its app only in a file.
  const isAsked = ({ isWritten }: Plan): boolean =>
    !isUnderCommandLine() || onResolved !== undefined || isWritten();
  for (const plan of plans.filter((each) => !isAsked(each))) {
    const notes = () => plan.notes("No token was requested, because none would be written");
    plan.registry.pass = { skipped: false, unasked: true, ...NOTHING, notes };
  }
  const asked = plans.filter(isAsked);

  const tokens = asked.reduce((sum, { records }) => sum + records.length, 0);
  const requests = asked.map((plan) => requestsOf(plan));
  // A token that nobody could use would still live for hours.
  const foreseen = requests.flatMap(({ failures }) => failures);
  if (foreseen.length > 0) throw resolutionFailed(foreseen, tokens);
  const requested = requests.flatMap((each) => each.requested);
  const { values, failures, issued } = await issue(requested, surroundings);
  if (failures.length > 0) throw resolutionFailed(failures, tokens);
  if (stream.isTTY === true && tokens > 0)
    stream.write(`Resolved ${count(tokens, "token")} with ${count(issued, "request")}.\n`);

  let taken = onResolved !== undefined;
  const texts = new Map(
    plans.map((plan) => {
      const records = isAsked(plan) ? plan.records : [];
      return [plan.stack, () => variablesOf(records, values)] as const;
    }),
  );
  const counts = { tokens, requests: issued, skipped: false };
  const resolved = new ResolvedTokens(counts, texts, () => {
    taken = true;
  });
  await onResolved?.(resolved);
  for (const { registry, isWritten, notes } of asked)
    registry.pass = {
      skipped: false,
      isWritten,
      values,
      notes: () =>
        taken && !isWritten() ? [] : notes("The tokens were resolved but not written to a file"),
    };
  // It prints annotations.
  if (!isUnderCommandLine())
    for (const text of new Set(
      asked
        .filter(({ isWritten }) => isWritten())
        .flatMap(({ stack, notes }) => notes().filter(({ code }) => !isAcknowledged(stack, code)))
        .map(warningText),
    ))
      stream.write(inert(`${OWN_PACKAGE}: ${text}\n`));
  return resolved;
}

const APP = kind("an App", Construct.isConstruct);

const OPTIONS: KindsOf<ResolveTokensOptions> = {
  skip: FLAG,
  writeFile: FLAG,
  onResolved: kind("a function", (value) => typeof value === "function"),
};

/** Of a stack for which nothing is requested. */
const NOTHING = { isWritten: () => false, values: new Map<TokenRecord, ResolvedToken>() };

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;

/** A stack with tokens that are resolved before synthesis. */
type Plan = ReturnType<typeof planOf>;

/**
 * What is asked about its destination is asked again at synthesis: until then, a backend may be
 * added, even by an aspect.
 */
function planOf(stack: TerraformStack, writeFile: boolean | undefined, ci: string | undefined) {
  const registry = EmbeddedProvider.of(stack)._registry;
  const reason = (): string | undefined =>
    runsRemotely(stack) ? "the stack runs remotely" : ci && `${ci} is set`;
  const isWritten = (): boolean => writeFile ?? reason() === undefined;
  return {
    stack,
    registry,
    records: synthTokensOf(stack, registry),
    isWritten,
    /** @param what what happened if nothing is written */
    notes: (what?: string): readonly Warning[] => {
      const why = reason();
      if (!isWritten()) return [nowhere(what, writeFile === false ? "writeFile is false" : why)];
      return why === undefined ? [] : [uploaded(why)];
    },
  };
}

function uploaded(why: string): Warning {
  const text = `With writeFile: true the tokens are in the output folder (cdktf.out), and ${why}. Do not upload it as an artifact, and do not cache it.`;
  return { code: "WARN_VALUES_UPLOADED", text };
}

function nowhere(what: string | undefined, why: string | undefined): Warning {
  const text = `${what}: ${why}. Terraform will lack their variables. Pass them to the program that runs Terraform: use resolveTokens(app, { onResolved }) or environment() of its result; or set writeFile: true.`;
  return { code: "WARN_VALUES_NOWHERE", text };
}

/** The jobs of a stack, and what would prevent their use. */
function requestsOf({ stack, records, isWritten }: Plan) {
  const { requested, failures } = tokenRequestsOf(stack, records, process.cwd());
  try {
    if (isWritten()) tryValueFile(EmbeddedProvider.of(stack)._stackFolder);
  } catch (error) {
    failures.push(failureOf(stack.node.path, error));
  }
  return { requested, failures };
}

async function issue(requested: readonly RequestedToken[], surroundings: Surroundings) {
  const values = new Map<TokenRecord, ResolvedToken>();
  const failures: Failure[] = [];
  const outcomes = await issueJobs(
    requested.map(({ job }) => job),
    surroundings,
  );
  for (const [index, outcome] of outcomes.entries()) {
    const { record } = requested[index] as RequestedToken;
    if (outcome.failure !== undefined) {
      failures.push({ path: record.construct.node.path, ...outcome.failure });
      continue;
    }
    values.set(record, outcome);
    for (const text of outcome.warnings)
      warnOnce(record.construct, "WARN_ISSUED_WITH_REMARK", text);
  }
  const issued = new Set(
    [...values.values()].filter(({ details }) => details).map(({ token }) => token.reveal()),
  );
  return { values, failures, issued: issued.size };
}

/** Terraform's form of variables in its environment: strings unchanged, everything else as JSON. */
function variablesOf(
  records: readonly TokenRecord[],
  values: ReadonlyMap<TokenRecord, ResolvedToken>,
): StackValues {
  const entries = records.flatMap((record) => Object.entries(valuesOf(record, values.get(record))));
  return new Map(
    entries.map(([name, value]) => [
      name,
      Secret.of(typeof value === "string" ? value : JSON.stringify(value)),
    ]),
  );
}
