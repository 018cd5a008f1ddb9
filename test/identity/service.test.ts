import type { IssueRequest } from "../../lib/identity";
import type { Outcome } from "../../lib/identity/transport/transport";
import { Secret } from "../../lib/tokens";
import { answer, fault, issued, type Step, scripted } from "./support/scripted";
import { credentialAt, DOMAIN, errorOf, HOUR, idle, project, requestAt } from "./support/wanted";

const AT = "https://keystone.example";
const request = requestAt(AT);
const of = (name: string, over: Partial<IssueRequest> = {}): IssueRequest => ({
  ...request,
  scope: project(name),
  ...over,
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** A client whose answers take time of its clock, and the outcomes of many scopes. */
function taking(tookMs: number, outcome: Outcome, later: Step = outcome) {
  let first = true;
  const made = scripted([
    (given) => {
      made.clock.now += tookMs;
      const step = first ? outcome : later;
      first = false;
      return typeof step === "function" ? step(given) : step;
    },
  ]);
  const { client, clock, transport } = made;
  const all = async (requests: readonly IssueRequest[]) => {
    const [start, before] = [clock.now, transport.sent.length];
    const errors = await Promise.all(requests.map((each) => errorOf(client.obtain(each, idle()))));
    return {
      errors,
      passedMs: clock.now - start,
      codes: new Set(errors.map(({ code }) => code)),
      sent: transport.sent.length - before,
    };
  };
  return { ...made, all };
}

describe("twenty scopes of one login, at a service that does not work, are one exchange", () => {
  test.each<[what: string, tookMs: number, Outcome, code: string, sent: number, maxMs: number]>([
    ["503", 0, answer(503), "ERR_SERVICE_FAILED", 10, 20_000],
    ["no answer", 10_000, fault("no_answer"), "ERR_NO_ANSWER", 2, 21_000],
    ["a proxy's 503", 0, fault("proxy_status", { status: 503 }), "ERR_PROXY_REFUSED", 10, 20_000],
    ["a proxy's 407", 0, fault("proxy_status", { status: 407 }), "ERR_PROXY_REFUSED", 1, 0],
    ["an unknown CA", 0, fault("certificate", { code: "E_X" }), "ERR_TLS_FAILED", 1, 0],
    ["another server's 404", 0, answer(404), "ERR_ENDPOINT_NOT_FOUND", 1, 0],
    ["a redirect", 0, answer(302), "ERR_REDIRECTED", 1, 0],
    ["not HTTP", 0, fault("malformed"), "ERR_ANSWER_UNEXPECTED", 1, 0],
  ])("%s", async (_what, tookMs, outcome, code, requests, maxMs) => {
    const { all } = taking(tookMs, outcome);
    const { errors, codes, sent, passedMs } = await all(names(20).map((name) => of(name)));
    expect([...codes]).toEqual([code]);
    expect(sent).toBe(requests);
    expect(passedMs).toBeLessThanOrEqual(maxMs);
    expect(errors[0]?.problem).not.toContain("was not sent");
    for (const { problem } of errors.slice(1))
      expect(problem).toContain(", to another request: this one was not sent.");
    // Whoever comes later sends its own.
    expect((await all([of("late")])).sent).toBe(requests);
  });
});

describe("a failure", () => {
  const many = names(20).map((name) => of(name));

  test("of accepted logins as well fails whoever waits for a turn meanwhile", async () => {
    const { client, all, transport } = taking(0, issued("t"), answer(503));
    await client.obtain(request, idle());
    transport.sent.length = 0;
    const { codes, sent } = await all(many);
    expect([...codes]).toEqual(["ERR_SERVICE_FAILED"]);
    // The eight that were under way.
    expect(sent).toBeLessThanOrEqual(80);
    expect(sent).toBeGreaterThanOrEqual(8);
  });

  test.each<[whom: string, over: Partial<IssueRequest>]>([
    ["at another service", { credential: credentialAt("https://other.example") }],
    ["with other certificates", { tls: { ca: "other" } }],
  ])("is none for those %s", async (_whom, over) => {
    const { client, transport } = scripted([fault("tls"), issued("t")]);
    const [first, second] = [client.obtain(of("a"), idle()), client.obtain(of("b", over), idle())];
    expect((await errorOf(first)).code).toBe("ERR_TLS_FAILED");
    await second;
    expect(transport.sent).toHaveLength(2);
  });

  test("of one address is none for another address of the service", async () => {
    const answers: Step = ({ url }) => (url.startsWith(`${AT}/a/`) ? answer(404) : issued("t"));
    const { client } = scripted([answers], { limits: { connections: 1 } });
    const at = (path: string) =>
      client.obtain(of("one", { credential: credentialAt(`${AT}/${path}/v3`) }), idle());
    const [failed, second] = [errorOf(at("a")), at("b")];
    expect((await failed).code).toBe("ERR_ENDPOINT_NOT_FOUND");
    expect((await second).token.reveal()).toBe("t");
  });

  test("of a short time for tries is none for those who have more", async () => {
    const { client } = scripted([answer(503), issued("t")]);
    const short = client.obtain(of("a", { retryForMs: 0 }), idle());
    const long = client.obtain(of("b"), idle());
    expect((await errorOf(short)).code).toBe("ERR_SERVICE_FAILED");
    expect((await long).token.reveal()).toBe("t");
  });

  const byUser = (name: string, over: Partial<IssueRequest> = {}) =>
    of("a", { credential: credentialAt(AT, { user: { name, domain: DOMAIN } }), ...over });
  const inTurn = { limits: { connections: 1, lingerMs: 1 } };

  test("is over with the next answer, also for those who have waited longer", async () => {
    const { client } = scripted([answer(503), issued("t")], inTurn);
    const short = { retryForMs: 0 };
    const all = [byUser("a", short), byUser("b"), byUser("c", short)].map((each) =>
      client.obtain(each, idle()),
    );
    expect((await errorOf(all[0] as Promise<unknown>)).code).toBe("ERR_SERVICE_FAILED");
    expect((await Promise.all(all.slice(1))).length).toBe(2);
  });

  test("of a caller that leaves is none", async () => {
    const leaving = new AbortController();
    const { client, transport } = scripted([() => new Promise(() => {}), issued("t")], inTurn);
    const left = client.obtain(byUser("a"), leaving.signal);
    const other = client.obtain(byUser("b"), idle());
    await transport.hasSent(1);
    leaving.abort();
    expect((await errorOf(left)).code).toBe("ERR_CANCELLED");
    expect((await other).token.reveal()).toBe("t");
  });

  test("that is about one request is none for others", async () => {
    const { client, transport } = scripted([answer(403)]);
    for (const { code } of await Promise.all(
      many.map((each) => errorOf(client.obtain(each, idle()))),
    ))
      expect(code).toBe("ERR_REQUEST_REFUSED");
    expect(transport.sent).toHaveLength(20);
  });

  test("is not a page's 404 to a question about a token", async () => {
    const { client, transport } = scripted([answer(404)]);
    const asked = { authUrl: request.credential.authUrl, token: Secret.of("t") };
    await Promise.all(many.map(() => errorOf(client.validate(asked, idle()))));
    expect(transport.sent).toHaveLength(20);
  });
});

describe("after a password was changed in mid-process", () => {
  test.each([5, 20, 50])("%d accepted scopes are fewer than ten failed sign-ins", async (count) => {
    let isChanged = false;
    const { client, transport } = scripted([
      async () => {
        await turn();
        return isChanged ? answer(401) : issued("t");
      },
    ]);
    const all = () =>
      Promise.allSettled(names(count).map((name) => client.issueOwn(of(name), idle())));
    await all();
    transport.sent.length = 0;
    isChanged = true;
    const outcomes = await all();
    expect(transport.sent.length).toBeLessThan(10);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { code: "ERR_CREDENTIALS_REJECTED" } });
    // Of all those that were sent, the first thought is the same.
    const said = outcomes.filter(
      (outcome) =>
        outcome.status === "rejected" && /has changed since/.test(outcome.reason.problem),
    );
    expect(said.length).toBe(count);
  });
});

test("what waits for its turn reads the refusal before it", async () => {
  const limits = { connections: 1 };
  const { client, transport } = scripted([issued("t"), answer(401)], { limits });
  await client.issueOwn(request, idle());
  const both = await Promise.allSettled([1, 2].map(() => client.issueOwn(request, idle())));
  for (const outcome of both)
    expect(outcome).toMatchObject({ reason: { code: "ERR_CREDENTIALS_REJECTED" } });
  expect(transport.sent).toHaveLength(2);
});

test("a hundred wrong passwords of one user are two sign-ins, and a hundred more are none", async () => {
  const { client, transport } = scripted([answer(401)]);
  const all = (from: number) =>
    Promise.all(
      names(100).map((_, index) => {
        const secret = Secret.of(`CANARY-wrong-${from + index}`);
        const credential = credentialAt(AT, { secret });
        return errorOf(client.obtain({ ...request, credential }, idle()));
      }),
    );
  const codes = new Set([...(await all(0)), ...(await all(100))].map(({ code }) => code));
  expect([...codes]).toEqual(["ERR_CREDENTIALS_REJECTED"]);
  expect(transport.sent).toHaveLength(2);
});

describe("the question whether a token is valid", () => {
  const about = (token: string, signal = idle(), authUrl = request.credential.authUrl) =>
    [{ authUrl, token: Secret.of(token) }, signal] as const;
  const alive: Step = ({ headers }) =>
    answer(200, { "X-Subject-Token": headers["x-subject-token"] ?? "" });

  test("without an answer is not sent again for half a minute, whatever clocks say", async () => {
    let clock = 0;
    const steps = [fault("no_answer"), alive];
    const { client, transport, clock: wall } = scripted(steps, { clock: () => clock });
    for (const [passed, sent] of [
      [0, 1],
      [29_999, 1],
      [1, 2],
    ] as const) {
      clock += passed;
      // The machine's clock was set back.
      wall.now -= HOUR;
      const asked = client.validate(...about(`t${passed}`));
      if (passed === 1) expect(await asked).toBe("alive");
      else expect((await errorOf(asked)).code).toBe("ERR_NO_ANSWER");
      expect(transport.sent).toHaveLength(sent);
    }
  });

  test("is not sent for half a minute after any request without an answer", async () => {
    const { client, transport } = scripted([fault("connect_timeout"), answer(503), alive]);
    await errorOf(client.obtain({ ...request, retryForMs: 0 }, idle()));
    expect((await errorOf(client.validate(...about("t")))).code).toBe("ERR_CONNECTION_FAILED");
    expect(transport.sent).toHaveLength(1);
    // Any answer ends that.
    await errorOf(client.obtain({ ...request, retryForMs: 0 }, idle()));
    expect(await client.validate(...about("t"))).toBe("alive");
  });
});

describe("a token of one caller that has left", () => {
  test.each(["abort", "close"] as const)("after an %s is waited for, and revoked", async (how) => {
    let answerNow = (_: Outcome) => {};
    const { client, transport } = scripted([
      () =>
        new Promise((resolve) => {
          answerNow = resolve;
        }),
      answer(204),
    ]);
    const leaving = new AbortController();
    const own = errorOf(client.issueOwn(request, leaving.signal));
    await transport.hasSent(1);
    const closing = how === "close" ? client.close() : leaving.abort();
    if (how === "abort") expect((await own).code).toBe("ERR_CANCELLED");
    answerNow(issued("late"));
    expect((await own).code).toBe("ERR_CANCELLED");
    await closing;
    await client.close();
    expect(transport.sent.map(({ request: { method } }) => method)).toEqual(["POST", "DELETE"]);
    expect(transport.sent[1]?.request.headers["x-subject-token"]).toBe("late");
  });

  test("is not waited for longer than a second", async () => {
    const { client, transport } = scripted([() => new Promise(() => {})], {
      limits: { lingerMs: 10 },
    });
    const leaving = new AbortController();
    const own = errorOf(client.issueOwn(request, leaving.signal));
    await transport.hasSent(1);
    leaving.abort();
    expect((await own).code).toBe("ERR_CANCELLED");
    await client.close();
    expect(transport.sent).toHaveLength(1);
  });
});
