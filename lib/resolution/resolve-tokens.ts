import type { App } from "cdktf";
import { Construct } from "constructs";
import type { Pass } from "../constructs/declarations/pass";
import { isUnderCommandLine } from "../constructs/framework/internals";
import { assertUsable } from "../constructs/framework/usable";
import { sweepOtherValues } from "../constructs/stack/files";
import { assertKind, assertProps, FLAG, type KindsOf, kind } from "../constructs/values/props";
import { assertNoFailures } from "./failures";
import { issueAll } from "./issue-jobs";
import { ciVariable, isSkipped, type ResolveTokensOptions, type Surroundings } from "./options";
import { type Plan, plansOf } from "./plan";
import { ResolvedTokens } from "./resolved-tokens";
import { requestsOf } from "./token-requests";

/**
 * Resolves the tokens of `TokenResolution.synth` in all stacks of an app, before `app.synth()`. In
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
  options: ResolveTokensOptions,
  surroundings: Surroundings,
): Promise<ResolvedTokens> {
  assertKind("The argument of resolveTokens", app, APP);
  assertUsable(app);
  assertProps(options, OPTIONS);
  const { environment, stream } = surroundings;
  const { skip = isSkipped(environment), writeFile, onResolved } = options;
  const choice = { writeFile, ci: ciVariable(environment) };
  const plans = plansOf(app, choice);
  sweepOtherValues(
    app.outdir,
    plans.map(({ stack }) => stack),
  );
  if (skip) {
    keep({ outcome: "skipped" }, plans);
    return new ResolvedTokens(plans, new Map(), true);
  }

  const wanted: Plan[] = [];
  for (const plan of plans) {
    const { destination } = plan;
    // The CDKTF command line runs Terraform itself: values get there from its app only in a file.
    if (destination.isWritten || onResolved !== undefined || !isUnderCommandLine())
      wanted.push(plan);
    else keep({ outcome: "not requested", why: destination.why }, [plan]);
  }
  const tokens = wanted.reduce((sum, { records }) => sum + records.length, 0);
  const { requests, failures: foreseen } = requestsOf(wanted, process.cwd());
  // A token that nobody could use would still live for hours.
  assertNoFailures(foreseen, tokens);
  const { values, failures } = await issueAll(requests, surroundings);
  assertNoFailures(failures, tokens);

  const resolved = new ResolvedTokens(plans, values, false);
  if (stream.isTTY === true && tokens > 0)
    stream.write(
      `Resolved ${count(tokens, "token")} with ${count(resolved.requests, "request")}.\n`,
    );
  await onResolved?.(resolved);
  const isTaken = () => onResolved !== undefined || resolved._isTaken;
  const pass: Pass = { outcome: "resolved", choice, values, isTaken };
  keep(pass, wanted);
  return resolved;
}

const APP = kind("an App", Construct.isConstruct);

const OPTIONS: KindsOf<ResolveTokensOptions> = {
  skip: FLAG,
  writeFile: FLAG,
  onResolved: kind("a function", (value) => typeof value === "function"),
};

function keep(pass: Pass, plans: readonly Plan[]): void {
  for (const { provider } of plans) provider._pass = pass;
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;
