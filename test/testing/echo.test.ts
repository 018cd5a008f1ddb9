import { InProcessIdentityService } from "../../lib/testing";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { ACCOUNTS, authBody, projectScope } from "./identity-client-of-a-test";

const START = Date.parse("2030-01-01T12:00:00Z");
const DAY = 24 * 3600 * 1000;

let now: number;
let identity: InProcessIdentityService;

beforeEach(() => {
  now = START;
  const config = { ...ACCOUNTS, staticTokens: ["canary-static"] };
  identity = InProcessIdentityService.create(config, { now: () => now, echo: true });
});

async function issued(scope?: unknown): Promise<string> {
  const url = "/identity/v3/auth/tokens";
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(authBody(scope === undefined ? {} : { scope }));
  const answer = await identity.handle({ method: "POST", url, headers, body });
  return answer.headers["x-subject-token"] ?? "";
}

async function echo(headers: Record<string, string>, method = "GET") {
  const { status, body } = await identity.handle({ url: "/echo", method, headers });
  return { status, ...JSON.parse(body) };
}

test.each(["GET", "POST", "DELETE"])(
  "a project token is described to %s, and not repeated",
  async (method) => {
    const token = await issued(projectScope("web"));
    const answer = await echo({ "X-Auth-Token": token }, method);
    expect(answer).toEqual({
      status: 200,
      header: "X-Auth-Token",
      kind: "iam_token_project_scoped",
      user: "deployer",
      account: "123456",
      project: "web",
      expires_at: "2030-01-02T12:00:00.000Z",
      fingerprint: fingerprintOf(Secret.of(token)),
    });
    expect(JSON.stringify(identity.journal)).not.toContain(token);
    expect(identity.journal.at(-1)).toMatchObject({ path: "/echo", status: 200, user: "deployer" });
  },
);

test("an account token has no project", async () => {
  const answer = await echo({ "X-Auth-Token": await issued() });
  expect(answer).toMatchObject({ status: 200, kind: "iam_token_account_scoped", project: null });
});

test("a static token of the configuration is accepted", async () => {
  const answer = await echo({ "X-Token": "canary-static" });
  const described = { header: "X-Token", kind: "static_token", account: "123456" };
  expect(answer).toEqual({ status: 200, ...described });
});

describe("401 says why:", () => {
  const UNKNOWN =
    "The token in X-Token is not a static token of this service (setting staticTokens). An IAM token is sent in X-Auth-Token.";

  test.each<[what: string, headers: Record<string, string>, error: string, reason: string]>([
    ["no token", {}, "The request has neither X-Auth-Token nor X-Token.", "token_missing"],
    [
      "a static token in X-Auth-Token",
      { "X-Auth-Token": "canary-static" },
      "X-Auth-Token has a static token. Send it in X-Token.",
      "wrong_header",
    ],
    ...["garbage", "gAAAAcanary-of-elsewhere", "canary-stati"].map(
      (token): [string, Record<string, string>, string, string] => [
        "an unknown one in X-Token",
        { "X-Token": token },
        UNKNOWN,
        "token_unknown",
      ],
    ),
    [
      "a token of another service",
      { "X-Auth-Token": "canary-of-elsewhere" },
      "The token in X-Auth-Token was not issued by this service.",
      "token_unknown",
    ],
  ])("%s", async (_what, headers, error, reason) => {
    expect(await echo(headers)).toEqual({ status: 401, error });
    expect(identity.journal.at(-1)?.reason).toBe(reason);
  });

  test.each(["valid", "expired"])("an IAM token in X-Token, %s", async (status) => {
    const token = await issued();
    if (status === "expired") now += DAY;
    const error = "X-Token has an IAM token. Send it in X-Auth-Token.";
    expect(await echo({ "X-Token": token })).toEqual({ status: 401, error });
    expect(identity.journal.at(-1)).toMatchObject({ reason: "wrong_header", user: "deployer" });
  });

  test("both headers", async () => {
    const error = "The request has both X-Auth-Token and X-Token.";
    const headers = { "X-Auth-Token": await issued(), "X-Token": "canary" };
    expect(await echo(headers)).toEqual({ status: 401, error });
  });

  test("a token that has expired", async () => {
    const token = await issued();
    now += DAY;
    const error = "The token in X-Auth-Token is expired.";
    expect(await echo({ "X-Auth-Token": token })).toEqual({ status: 401, error });
    expect(identity.journal.at(-1)?.reason).toBe("token_expired");
  });
});

test("without the option there is only the identity service", async () => {
  const quiet = InProcessIdentityService.create(ACCOUNTS);
  expect((await quiet.handle({ url: "/echo" })).status).toBe(404);
});
