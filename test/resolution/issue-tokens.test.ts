import { readFileSync } from "node:fs";
import { join } from "node:path";
import { IdentityClient, type IdentityClientOptions } from "../../lib/identity";
import { issueTokens } from "../../lib/resolution/issue-tokens";
import type { IssueJob } from "../../lib/resolution/issuing";
import { useScratch } from "../support/scratch";
import { ACCOUNT, ENVIRONMENT, startIdentity } from "./support";

const scratch = useScratch();

function jobAt(authUrl: string, block: IssueJob["block"] = {}): IssueJob {
  return {
    blockType: "iam_token",
    storedIn: "memory",
    provider: {
      auth_url: authUrl,
      account_id: ACCOUNT,
      user_name: "deployer",
      password_env: "SERVICE_USER_PASSWORD",
    },
    block: { scope: "account", ...block },
  };
}

/** Does jobs with a client of other limits, and sees that it is closed. */
async function issue(jobs: readonly IssueJob[], options: IdentityClientOptions = {}) {
  const client = new IdentityClient(options);
  let closed = 0;
  const identity = {
    client: () => client,
    requestFromGitHub: () => Promise.reject(new Error("not asked")),
    settled: async () => {},
    close: () => client.close().finally(() => closed++),
  };
  const context = { variables: ENVIRONMENT, workingFolder: "/" };
  const outcomes = await issueTokens(jobs, context, identity);
  expect(closed).toBe(1);
  return outcomes;
}

test("a service with an endless answer delays only its own tokens, within the limits", async () => {
  const stuck = await startIdentity(() => ({ cut: "silence" }));
  const good = await startIdentity();
  const outcomes = await issue([jobAt(stuck.authUrl), jobAt(good.authUrl)], {
    // Enough for the good one, however busy the machine is.
    limits: { requestMs: 2_000, totalMs: 0 },
  });
  expect(outcomes[0]?.failure).toMatch(/^[^\n]+\[ERR_NO_ANSWER\]$/);
  expect(outcomes[1]).toMatchObject({
    details: { auth_url: `${good.authUrl}/identity/v3` },
    warnings: [],
  });
});

test("reports a refusal of the provider with its code", async () => {
  const { authUrl } = await startIdentity();
  const job = jobAt(authUrl);
  const [scope, long] = await issue([
    jobAt(authUrl, { scope: "everything" }),
    { ...job, provider: { ...job.provider, account_id: "1".repeat(9_000) } },
  ]);
  expect(scope?.failure).toMatch(/"everything".*\[ERR_SCOPE_INVALID\]$/);
  expect(long?.failure).toMatch(/\[ERR_TOO_LONG\]$/);
});

test("turns remarks about a token into warnings", async () => {
  const { authUrl } = await startIdentity();
  const [outcome] = await issue([jobAt(authUrl)], { now: () => Date.now() + 10 * 60_000 });
  expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/clock/)] });
});

test("reports only the class of an unexpected exception, and closes the client", async () => {
  const identity = {
    client: () => {
      throw new TypeError("canary");
    },
    requestFromGitHub: () => Promise.reject(new Error("not asked")),
    settled: async () => {},
    close: async () => {},
  };
  const context = { variables: ENVIRONMENT, workingFolder: "/" };
  const [outcome] = await issueTokens([jobAt("https://a.test")], context, identity);
  expect(outcome?.failure).toMatch(/TypeError/);
  expect(outcome?.failure).not.toMatch(/canary|undefined/);
});

test("of twelve commands for secrets, at most eight run at once", async () => {
  const log = join(scratch.folder, "log");
  const job = (_: unknown, index: number): IssueJob => {
    const script = `echo 1 >>${log}; sleep 0.4; echo -1 >>${log}; echo token-${index}`;
    const block = { command: ["/bin/sh", "-c", script] };
    return { blockType: "iam_static_token", storedIn: "memory", provider: {}, block };
  };
  const outcomes = await issue(Array.from({ length: 12 }, job));
  expect(outcomes.filter(({ failure }) => failure !== undefined)).toEqual([]);
  let running = 0;
  const counts = readFileSync(log, "utf8")
    .split("\n")
    .map((change) => {
      running += Number(change);
      return running;
    });
  expect(Math.max(...counts)).toBeLessThanOrEqual(8);
});
