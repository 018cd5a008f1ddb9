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
  const reason = () => identity.journal.at(-1)?.reason;

  test("no token", async () => {
    const error = "The request has neither X-Auth-Token nor X-Token.";
    expect(await echo({})).toEqual({ status: 401, error });
    expect(reason()).toBe("token_missing");
  });

  test.each(["valid", "expired"])("an IAM token in X-Token, %s", async (status) => {
    const token = await issued();
    if (status === "expired") now += DAY;
    const error = "X-Token has an IAM token. Send it in X-Auth-Token.";
    expect(await echo({ "X-Token": token })).toEqual({ status: 401, error });
    expect(identity.journal.at(-1)).toMatchObject({ reason: "wrong_header", user: "deployer" });
  });

  test("a static token in X-Auth-Token", async () => {
    const error = "X-Auth-Token has a static token. Send it in X-Token.";
    expect(await echo({ "X-Auth-Token": "canary-static" })).toEqual({ status: 401, error });
    expect(reason()).toBe("wrong_header");
  });

  test.each(["garbage", "gAAAAcanary-of-elsewhere", "canary-stati"])(
    "%j in X-Token, which is not repeated",
    async (token) => {
      const answer = await echo({ "X-Token": token });
      expect(answer).toEqual({
        status: 401,
        error:
          "The token in X-Token is not a static token of this service (setting staticTokens). An IAM token is sent in X-Auth-Token.",
      });
      expect(reason()).toBe("token_unknown");
    },
  );

  test("both headers", async () => {
    const answer = await echo({ "X-Auth-Token": await issued(), "X-Token": "canary" });
    expect(answer).toEqual({
      status: 401,
      error: "The request has both X-Auth-Token and X-Token.",
    });
  });

  test("a token of another service", async () => {
    const answer = await echo({ "X-Auth-Token": "canary-of-elsewhere" });
    const error = "The token in X-Auth-Token was not issued by this service.";
    expect(answer).toEqual({ status: 401, error });
    expect(reason()).toBe("token_unknown");
  });

  test("a token that has expired", async () => {
    const token = await issued();
    now += DAY;
    expect(await echo({ "X-Auth-Token": token })).toEqual({
      status: 401,
      error: "The token in X-Auth-Token is expired.",
    });
    expect(reason()).toBe("token_expired");
  });
});

test("without the option there is only the identity service", async () => {
  const quiet = InProcessIdentityService.create(ACCOUNTS);
  expect((await quiet.handle({ url: "/echo" })).status).toBe(404);
});
