import type { App } from "cdktf";
import { Construct } from "constructs";
import { assertKind, kind } from "../constructs/values/kinds";
import { issueHere, issueInThread } from "./issue";
import type { Environment, SynthTokensProps } from "./options";
import { type Requests, requestsOf } from "./requests";
import type { ResolvedTokens } from "./resolved-tokens";

/**
 * Resolves the tokens of `TokenResolution.synth` in all stacks of an app, before `app.synth()`. In
 * one pass, each distinct credential and scope is issued once, with at most eight requests at a
 * time. Pass the values on (`environment()` of the result), or let `app.synth()` write them
 * ({@link SynthTokensProps.writeFile}).
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
  options: SynthTokensProps = {},
): Promise<ResolvedTokens> {
  return resolveTokensIn(app, options, process.env);
}

/** {@link resolveTokens} in another environment than that of the process. */
export async function resolveTokensIn(
  app: App,
  options: SynthTokensProps,
  environment: Environment,
): Promise<ResolvedTokens> {
  const requests = checkedRequests(app, options, environment);
  const resolved = requests.answered(await issueHere(requests.jobs, environment));
  requests.keep();
  return resolved;
}

/** The same, without a promise: jsii's Go cannot wait for one. */
export function resolveTokensNow(app: App, props: SynthTokensProps): ResolvedTokens {
  const requests = checkedRequests(app, props, process.env);
  const resolved = requests.answered(issueInThread(requests.jobs, process.env));
  requests.keep();
  return resolved;
}

function checkedRequests(app: App, options: SynthTokensProps, environment: Environment): Requests {
  assertKind("The argument of resolveTokens", app, APP);
  return requestsOf(app, options, environment);
}

const APP = kind("an App", Construct.isConstruct);
