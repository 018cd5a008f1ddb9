import { join } from "node:path";
import { installedPackage } from "../delivery/package-root";
import { IamTokensError, Secret } from "../tokens";
import type { IssueJob, IssueOutcome, IssueTokens, IssuingContext, ThreadData } from "./issuing";
import type { Environment } from "./options";

/** Does jobs. */
export async function issueHere(
  jobs: readonly IssueJob[],
  environment: Environment,
): Promise<readonly IssueOutcome[]> {
  if (jobs.length === 0) return [];
  // The provider's own code, with an HTTP client. Only here: a program that requests no token does
  // not load it. Not by `import()`, for which TypeScript demands a file extension that no test
  // runner here resolves.
  const { issueTokens } = require("./issue-tokens") as { readonly issueTokens: IssueTokens };
  return issueTokens(jobs, contextIn(environment));
}

const contextIn = (environment: Environment): IssuingContext => ({
  variables: { ...environment },
  workingFolder: process.cwd(),
});

/** Within this time, a thread has begun. */
const START_MS = 60_000;

/** Does jobs in a thread, and waits for its end. */
export function issueInThread(
  jobs: readonly IssueJob[],
  environment: Environment,
): readonly IssueOutcome[] {
  if (jobs.length === 0) return [];
  // Only here, too: a synthesis would wait for it.
  const { MessageChannel, receiveMessageOnPort, Worker } =
    require("node:worker_threads") as typeof import("node:worker_threads");
  const { port1: port, port2 } = new MessageChannel();
  const state = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ThreadData = { jobs, context: contextIn(environment), state, port: port2 };
  // Without this process's options, which may load a compiler.
  const options = { workerData, transferList: [port2], execArgv: [] };
  new Worker(join(installedPackage().root, "dist/resolution/issue-tokens.js"), options).unref();
  if (Atomics.wait(state, 0, 0, START_MS) !== "timed-out") Atomics.wait(state, 0, 1);
  const outcomes: unknown = receiveMessageOnPort(port)?.message;
  port.close();
  if (Array.isArray(outcomes)) return outcomes.map(withSecret);
  throw new IamTokensError("ERR_RESOLUTION_FAILED", "The thread that issues tokens has failed.");
}

/** The outcome, whose token was cloned as a string. */
const withSecret = (outcome: IssueOutcome & { readonly token?: unknown }): IssueOutcome =>
  outcome.failure === undefined ? { ...outcome, token: Secret.of(String(outcome.token)) } : outcome;
