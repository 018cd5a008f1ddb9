import { limitsOf, type Scope } from "../../../lib/identity";
import { interpretIssue, issueWantsBody } from "../../../lib/identity/interpret/issue-answer";
import { toRejected } from "../../../lib/identity/interpret/rejected/rejected";
import { rejectedError } from "../../../lib/identity/interpret/rejected/rejected-error";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { answer, fault, issued } from "../support/scripted-transport";
import {
  ACCOUNT,
  credentialAt,
  errorOf,
  HOUR,
  httpDate,
  NOW,
  PASSWORD_CANARY,
  project,
  TOKEN_CANARY,
} from "../support/wanted";

const credential = credentialAt("https://keystone.example/identity");
const interpret = (outcome: Outcome, scope: Scope = ACCOUNT, attempts = "") =>
  interpretIssue(outcome, { credential, scope, limits: limitsOf(), attempts });
const failure = (outcome: Outcome, scope?: Scope, attempts?: string) =>
  errorOf(() => interpret(outcome, scope, attempts));
const ADDRESS = credential.authUrl.tokens;
const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const ok = (body: unknown, headers: Record<string, string> = {}) =>
  answer(201, { "X-Subject-Token": TOKEN_CANARY, Date: httpDate(NOW), ...headers }, body);

describe("an answer with a token", () => {
  test("gives token, kind, times, address and request id", () => {
    const { issued: token } = interpret(
      ok(
        {
          token: {
            expires_at: time(NOW + 5 * HOUR),
            issued_at: time(NOW),
            domain: { name: "123456" },
            user: { domain: { name: "123456" } },
          },
        },
        { "x-openstack-request-id": "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01" },
      ),
    );
    expect(token.token.reveal()).toBe(TOKEN_CANARY);
    expect(token).toMatchObject({
      kind: "iam_token_account_scoped",
      issuedAt: new Date(NOW),
      expiresAt: new Date(NOW + 5 * HOUR),
      authUrl: { v3: "https://keystone.example/identity/v3" },
      requestId: "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01",
      warnings: [],
    });
    expect(token.remainingMs).toBe(5 * HOUR);
  });

  test.each([
    [200, false],
    [201, true],
    [401, false],
  ])("with status %d the body is needed: %p", (status, wanted) => {
    expect(issueWantsBody(credential)(status)).toBe(wanted);
  });

  test("has no request id if the service sends none", () => {
    expect(interpret(issued()).issued).not.toHaveProperty("requestId");
  });

  test("is of the kind of its scope", () => {
    expect(interpret(issued(), project("web")).issued.kind).toBe("iam_token_project_scoped");
  });

  test.each(["X-SUBJECT-TOKEN", "x-subject-token"])("is found under the header name %s", (name) => {
    expect(interpret(answer(201, { [name]: "t" })).issued.token.reveal()).toBe("t");
  });

  test.each([
    ["missing", ""],
    ["not JSON", "<html>"],
    ["JSON of something else", '{"ok":true}'],
    ["JSON null", "null"],
    ["JSON with another kind of token", '{"token":"text"}'],
    ["deeply nested", "[".repeat(100_000)],
    ["not UTF-8", "\udcff"],
  ])("needs no body if that is %s: 24 hours from Date", (_name, body) => {
    const { issued: token } = interpret(ok(body));
    expect(token.expiresAt).toEqual(new Date(NOW + 24 * HOUR));
    expect(token.issuedAt).toEqual(new Date(NOW));
  });

  test("needs no body if that was cut off, whatever its first part says", () => {
    const cut = {
      ...ok({ token: { domain: { name: "999" }, expires_at: time(NOW + HOUR) } }),
      end: "cut" as const,
    };
    expect(interpret(cut).issued.remainingMs).toBe(24 * HOUR);
  });
});

describe("the token header", () => {
  test("that cannot be a token is an error with address and request id", async () => {
    const empty = answer(201, {
      "X-Subject-Token": "",
      "x-request-id": "req-7d0bb67a-1c4e-4b0a-9a35-2f3c8f7f2f10",
    });
    expect((await failure(empty)).problem).toBe(
      `${ADDRESS} (request id req-7d0bb67a-1c4e-4b0a-9a35-2f3c8f7f2f10) answered 201 with an empty X-Subject-Token.`,
    );
  });

  test("with the password of the request in it is refused", async () => {
    expect((await failure(issued(PASSWORD_CANARY))).code).toBe("ERR_TOKEN_HEADER_ECHOED");
  });
});

describe("the scope of the answer", () => {
  const web = { name: "web", domain: { name: "123456" } };
  const WEB = project("web");
  test.each<[name: string, scope: Scope, token: unknown, of: string]>([
    ["another account", ACCOUNT, { domain: { name: "654321" } }, "another account"],
    [
      "an account that differs in case only",
      ACCOUNT,
      { domain: { name: "123456A" } },
      "another account",
    ],
    ["an account given as another number", ACCOUNT, { domain: { name: 7 } }, "another account"],
    ["a project instead of the account", ACCOUNT, { project: web }, "a project"],
    [
      "a project next to the account",
      ACCOUNT,
      { domain: { name: "123456" }, project: web },
      "a project",
    ],
    ["the system", ACCOUNT, { system: { all: true } }, "the whole system"],
    ["the system instead of the project", WEB, { system: { all: true } }, "the whole system"],
    [
      "another account's user",
      ACCOUNT,
      { user: { domain: { name: "1" } }, domain: { name: "123456" } },
      "another account's user",
    ],
    [
      "another project",
      WEB,
      { project: { name: "Web", domain: { name: "123456" } } },
      "another project",
    ],
    [
      "a project of another account",
      WEB,
      { project: { name: "web", domain: { name: "1" } } },
      "a project of another account",
    ],
    ["the account instead of the project", WEB, { domain: { name: "123456" } }, "an account"],
    [
      "another project, with everything else unreadable",
      WEB,
      {
        project: { name: "x", domain: 7 },
        expires_at: 5,
        issued_at: null,
        domain: [],
        user: 7,
      },
      "another project",
    ],
    // Names are compared by their characters: NFC is not NFD.
    [
      "a project of the same letters, spelled otherwise",
      project("B\u00fcro"),
      { project: { name: "Bu\u0308ro", domain: { name: "123456" } } },
      "another project",
    ],
  ])("%s is refused", async (_name, scope, token, of) => {
    const error = await failure(ok({ token }), scope);
    expect(error.code).toBe("ERR_SCOPE_MISMATCH");
    const asked = scope.kind === "account" ? "the account" : "one project";
    expect(error.problem).toBe(
      `A token for ${asked} was requested, but ${ADDRESS} issued one for ${of}.`,
    );
  });

  test.each<[string, Scope, unknown]>([
    ["nothing", ACCOUNT, {}],
    ["the account", ACCOUNT, { domain: { id: "x", name: "123456" } }],
    ["the account as a number", ACCOUNT, { domain: { name: 123456 } }],
    ["ids alone", project("web"), { project: { id: "x", domain: { id: "y" } } }],
    ["a user without an account", ACCOUNT, { user: {} }],
    ["a project without an account", project("web"), { project: { name: "web" } }],
    ["nothing, for a project", project("web"), {}],
    ["the project", project("web"), { project: web, is_domain: false }],
    ["null members", project("web"), { project: web, domain: null, system: null }],
  ])("accepts a body that names %s", (_name, scope, token) => {
    expect(interpret(ok({ token }), scope).issued.token.reveal()).toBe(TOKEN_CANARY);
  });
});

describe("the lifetime", () => {
  const expiring = (at: unknown, headers: Record<string, string> = {}) =>
    ok({ token: { expires_at: at } }, headers);

  test("is at most the configured one, whatever the service says", () => {
    expect(interpret(expiring(time(NOW + 900 * HOUR))).issued.expiresAt).toEqual(
      new Date(NOW + 24 * HOUR),
    );
  });

  test.each([
    "",
    "tomorrow",
    "2026-11-20",
    "2026-13-40T00:00:00Z",
    "+002026-11-20T15:00:00Z",
    "2026-11-20T15:00:00+00:00 (noon)",
    1_900_000_000,
    null,
  ])("falls back to 24 hours when expires_at is %j", (at) => {
    expect(interpret(expiring(at)).issued.remainingMs).toBe(24 * HOUR);
  });

  test.each([
    "2026-11-20T15:00:00.000000Z",
    "2026-11-20T15:00:00Z",
    "2026-11-20T16:00:00+01:00",
    "2026-11-20T15:00:00",
  ])("reads %s", (at) => {
    expect(interpret(expiring(at)).issued.remainingMs).toBe(3 * HOUR);
  });

  test.each([
    { since: 0, ago: "just now" },
    { since: 999, ago: "just now" },
    { since: 1000, ago: "1 s ago" },
    { since: 48 * HOUR, ago: "2 d ago" },
  ])("that ended $since ms ago is an error with both times", async ({ since, ago }) => {
    const error = await failure(expiring(time(NOW - since)));
    expect(error.code).toBe("ERR_TOKEN_EXPIRED");
    expect(error.problem).toBe(
      `${ADDRESS} issued a token that expired ${ago}, at ${time(NOW - since)}; the service's clock says ${time(NOW)}.`,
    );
  });

  test("that is over by our clock, without the service's, is reported so", async () => {
    const expired = answer(
      201,
      { "X-Subject-Token": TOKEN_CANARY },
      { token: { expires_at: time(NOW) } },
    );
    expect((await failure(expired)).problem).toContain("; this machine's clock says");
  });

  test("is counted on the service's clock: a difference from ours is a warning and does not end a token", () => {
    const late = answer(
      201,
      { "X-Subject-Token": "t", Date: httpDate(NOW - 48 * HOUR) },
      { token: { expires_at: time(NOW - 46 * HOUR) } },
    );
    const { issued: token } = interpret(late);
    expect(token.remainingMs).toBe(2 * HOUR);
    expect(token.warnings).toEqual([expect.stringContaining("2 d ahead of")]);
  });

  test.each([
    [61_000, "ahead of"],
    [-61_000, "behind"],
  ])("a clock off by %d ms is a warning with the difference", (off, direction) => {
    const { warnings } = interpret(
      answer(201, { "X-Subject-Token": "t", Date: httpDate(NOW - off) }),
    ).issued;
    expect(warnings).toEqual([
      `This machine's clock is 1 min 1 s ${direction} the identity service's. expires_at and issued_at are in the service's time. Correct this machine's clock.`,
    ]);
  });

  test("does not mention clocks if the service sends no time", () => {
    expect(interpret(answer(201, { "X-Subject-Token": "t" })).issued.warnings).toEqual([]);
  });

  test.each([60_000, -60_000, 0])("a clock off by %d ms is not reported", (off) => {
    expect(
      interpret(answer(201, { "X-Subject-Token": "t", Date: httpDate(NOW - off) })).issued.warnings,
    ).toEqual([]);
  });

  test.each([
    [{}],
    [{ Date: "nonsense" }],
    [{ Date: "2026-11-20T01:00:00Z" }],
    [{ Date: " Fri, 20 Nov 2026 01:00:00 GMT" }],
    [{ Date: "Fri, 20 Nov 2026 01:00:00 GMT (noon)" }],
    [{ Date: ["Fri, 20 Nov 2026 01:00:00 GMT", "Fri, 20 Nov 2026 02:00:00 GMT"] }],
  ])("is counted from our clock when Date is %j", (headers) => {
    expect(interpret(answer(201, { "X-Subject-Token": "t", ...headers })).issued.expiresAt).toEqual(
      new Date(NOW + 24 * HOUR),
    );
  });

  test.each([-HOUR, 0, 60_000, 1 - 24 * HOUR])("begins at an issued_at %d ms from Date", (off) => {
    const { issued: token } = interpret(ok({ token: { issued_at: time(NOW + off) } }));
    expect(token.issuedAt).toEqual(new Date(NOW + off));
    expect(token.remainingMs).toBe(24 * HOUR + off);
  });

  test.each([time(NOW + 60_001), time(NOW - 24 * HOUR), time(0), "nonsense"])(
    "ignores an impossible issued_at of %s",
    (at) => {
      expect(interpret(ok({ token: { issued_at: at } })).issued.issuedAt).toEqual(new Date(NOW));
    },
  );
});

describe("a 401", () => {
  const rejected = answer(
    401,
    { "x-openstack-request-id": "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a02" },
    `{"error":{"message":"${PASSWORD_CANARY}"}}`,
  );

  test.each([
    ["x\r", "ends with a carriage return"],
    ["x ", "starts or ends with white space"],
    [" x", "starts or ends with white space"],
  ])("to a password %j says first that it %s", (password, says) => {
    const problemOf = (sent: typeof credential) =>
      rejectedError(toRejected(rejected, { credential: sent, scope: ACCOUNT, attempts: "" }))
        .problem;
    const problem = problemOf({ ...credential, secret: Secret.of(password) });
    expect(problem).toContain(
      `Possible causes:\n- Most likely: the password that was sent ${says}`,
    );
    expect(problemOf(credential)).not.toContain("Most likely");
  });

  test("for an account names every possible cause, and where to find each", async () => {
    const error = await failure(rejected);
    expect(error.code).toBe("ERR_CREDENTIALS_REJECTED");
    for (const part of [
      "401 (request id req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a02)",
      '"deployer"',
      '"123456"',
      "who requested an account token",
      "Account, Users, tab Service users",
      "iam.admin",
      "not a service user",
      "password",
      "can replace it",
      "upper right corner",
      "access area Account",
      "Projects is not enough",
      "disabled or locked",
    ]) {
      expect(error.message).toContain(part);
    }
    expect(error.problem.split("\n- ")).toHaveLength(7);
  });

  test("for a project names the project and both access areas", async () => {
    const { message } = await failure(rejected, project("web"));
    for (const part of [
      'project "web"',
      "project's name is wrong",
      "neither the access area Account",
      "Projects with this project selected",
    ]) {
      expect(message).toContain(part);
    }
  });

  test("prints names of users without commands for a terminal", async () => {
    const { message } = await failure(rejected, project("\u001b[2J\n::error::x"));
    expect(message).not.toContain("\u001b");
    expect(message).not.toContain("\n::error");
  });
});

describe("other answers", () => {
  test.each([
    [300, "ERR_REDIRECTED"],
    [301, "ERR_REDIRECTED"],
    [302, "ERR_REDIRECTED"],
    [304, "ERR_REDIRECTED"],
    [307, "ERR_REDIRECTED"],
    [308, "ERR_REDIRECTED"],
    [400, "ERR_REQUEST_REFUSED"],
    [403, "ERR_REQUEST_REFUSED"],
    [404, "ERR_ENDPOINT_NOT_FOUND"],
    [405, "ERR_REQUEST_REFUSED"],
    [408, "ERR_REQUEST_REFUSED"],
    [413, "ERR_REQUEST_REFUSED"],
    [429, "ERR_RATE_LIMITED"],
    [500, "ERR_SERVICE_FAILED"],
    [503, "ERR_SERVICE_FAILED"],
    [599, "ERR_SERVICE_FAILED"],
    [200, "ERR_ANSWER_UNEXPECTED"],
    [202, "ERR_ANSWER_UNEXPECTED"],
    [204, "ERR_ANSWER_UNEXPECTED"],
    [600, "ERR_ANSWER_UNEXPECTED"],
    [999, "ERR_ANSWER_UNEXPECTED"],
  ])(
    "%d is %s, with status and request id, and no word of the body or of other headers",
    async (status, code) => {
      const error = await failure(
        answer(
          status,
          {
            "X-Subject-Token": TOKEN_CANARY,
            "x-openstack-request-id": "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a07",
            Location: `https://evil.example/${PASSWORD_CANARY}`,
            "WWW-Authenticate": 'Keystone uri="https://evil.example"',
          },
          `<html>${PASSWORD_CANARY} evil.example</html>`,
        ),
      );
      expect(error.code).toBe(code);
      expect(error.message).toContain(
        `${status} (request id req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a07)`,
      );
      expect(error.message).not.toContain("evil");
    },
  );

  test("a 404 names the address that was built, and the rule", async () => {
    const { message } = await failure(answer(404));
    expect(message).toContain("https://keystone.example/identity/v3/auth/tokens");
    expect(message).toContain("/v3 after /identity");
  });

  test.each([
    "req 1",
    "x".repeat(129),
    "\u001b[31m",
    "a\n",
    "",
    "::error::",
    `req-${PASSWORD_CANARY}`,
    `req-${Buffer.from(PASSWORD_CANARY).toString("hex")}`,
    Buffer.from(PASSWORD_CANARY).toString("hex"),
    "req-1",
    "see 3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01",
    "3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01 for more",
    `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(13)}`,
  ])("a request id of the form %j is not printed", async (id) => {
    expect((await failure(answer(500, { "x-openstack-request-id": id }))).message).toContain(
      "answered 500.",
    );
  });

  test("a request id that repeats the token is not printed either", () => {
    const id = "3f0c5d5e-8b1a-4a5e-9c6c-657474657273";
    for (const token of ["8b1a-4a5e", "letters"]) {
      const echoed = answer(201, { "X-Subject-Token": token, "x-request-id": id });
      expect(interpret(echoed).issued.requestId).toBeUndefined();
    }
    const issued = answer(201, { "X-Subject-Token": "abc123", "x-request-id": id });
    expect(interpret(issued).issued.requestId).toBe(id);
  });

  test("a body over the bound, or too slow, is an error although there is a token", async () => {
    const large = await failure({ ...issued(), end: "too_large" });
    expect(large.code).toBe("ERR_ANSWER_TOO_LARGE");
    expect(large.problem).toBe(`${ADDRESS} answered 201 with a body that is too large.`);
    expect(large.allowed).toBe(`up to ${limitsOf().bodyBytes} bytes`);
    const slow = await failure({ ...issued(), end: "too_slow" });
    expect(slow.code).toBe("ERR_ANSWER_TOO_SLOW");
    expect(slow.problem).toContain("started to answer 201, but did not finish within 10 s.");
  });
});

describe("no answer", () => {
  test("is the error of the fault", async () => {
    const { code, problem } = await failure(fault("no_answer"), ACCOUNT, " after 2 tries");
    expect(code).toBe("ERR_NO_ANSWER");
    expect(problem).toBe("keystone.example did not answer within 10 s after 2 tries.");
  });

  test("reports the tries", async () => {
    expect(
      (await failure(answer(503), ACCOUNT, " after 4 tries in 2 s (503, 503, ECONNRESET, 503)"))
        .message,
    ).toContain("answered 503 after 4 tries in 2 s (503, 503, ECONNRESET, 503).");
  });
});
