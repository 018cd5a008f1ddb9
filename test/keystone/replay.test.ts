import { EmbeddedIdentityService } from "../../lib/testing";
import { twinConfig, twinPasswordOf } from "./embedded-twin";
import { whatIsSeen } from "./may-differ";
import { meaningOf, type SeenAnswer } from "./meaning";
import { request } from "./plain-request";
import {
  type Headers,
  RECORDED_NAMES,
  type RecordedExchange,
  readRecorded,
} from "./recorded-exchange";
import { STAGED_NAMES, type StageHands, stageRequest } from "./replay-staging";

let identity: EmbeddedIdentityService;
let hands: StageHands;

beforeAll(async () => {
  // Keystone's default, as when the answers were recorded.
  const { lockout: _none, ...config } = twinConfig();
  identity = await EmbeddedIdentityService.start(config);
  const login = (user: string, password: string, scope: unknown) => {
    const name = { name: user, domain: { name: "123456" } };
    const body = {
      auth: {
        identity: { methods: ["password"], password: { user: { ...name, password } } },
        scope,
      },
    };
    return identity.handle({
      method: "POST",
      url: "/identity/v3/auth/tokens",
      body: JSON.stringify(body),
    });
  };
  hands = {
    issue: async (user = "svc", scope = { domain: { name: "123456" } }) => {
      const { headers } = await login(user, twinPasswordOf(user), scope);
      return headers["x-subject-token"] ?? "none-was-issued";
    },
    revoke: async (token) => {
      const headers = { "X-Auth-Token": token, "X-Subject-Token": token };
      await identity.handle({ method: "DELETE", url: "/identity/v3/auth/tokens", headers });
    },
    failLogin: async (user, times) => {
      for (let time = 0; time < times; time += 1) await login(user, "wrong", "unscoped");
    },
  };
});
afterAll(() => identity.stop());

test("every stage belongs to a recorded exchange", () => {
  expect(STAGED_NAMES.filter((name) => !RECORDED_NAMES.includes(name))).toEqual([]);
});

describe("over a socket, the embedded service answers as Keystone did", () => {
  test.each(RECORDED_NAMES)("%s", async (name) => {
    const recorded = readRecorded(name);
    const { method, target } = recorded.request;
    const { headers, body, chunked } = await stageRequest(recorded, hands);
    const answer = await request(`${identity.authUrl}${target}`, {
      method,
      headers,
      body,
      chunked,
    });
    expect(whatIsSeen({ ...answer, headers: answer.headerLines })).toEqual(
      whatIsSeen(recorded.answer),
    );
    const { status, headerLines } = answer;
    assertMeaning(recorded, { status, headers: headerLines, body: answer.body });
    expect(answer.headers.connection).toBe("keep-alive");
    assertLength(method, answer.headers["content-length"], answer.body);
  });
});

describe("in process, the embedded service answers as Keystone did", () => {
  test.each(RECORDED_NAMES)("%s", async (name) => {
    const recorded = readRecorded(name);
    const { method, target } = recorded.request;
    const { headers, body, chunked } = await stageRequest(recorded, hands);
    const given = chunked ? { ...headers, "Transfer-Encoding": "chunked" } : headers;
    const answer = await identity.handle({
      method,
      url: target,
      headers: given,
      body: Buffer.from(body),
    });
    const lowerCase = (lines: Headers) =>
      lines.map(([header, value]) => [header.toLowerCase(), value] as const);
    expect(
      whatIsSeen({ ...answer, reason: answer.statusText, headers: Object.entries(answer.headers) }),
    ).toEqual(whatIsSeen({ ...recorded.answer, headers: lowerCase(recorded.answer.headers) }));
    assertMeaning(recorded, { ...answer, headers: Object.entries(answer.headers) });
    assertLength(method, answer.headers["content-length"], answer.body);
  });
});

/** Of a 400 the text is not compared: our client makes the same of both. */
function assertMeaning({ request: asked, answer }: RecordedExchange, seen: SeenAnswer): void {
  if (answer.status === 400) expect(meaningOf(asked, seen)).toBe(meaningOf(asked, answer));
}

/**
 * Content-Length is the one thing that what may differ hides: it is that of the answer's own body.
 */
function assertLength(method: string, length: unknown, body: string): void {
  if (method !== "HEAD" && length !== undefined)
    expect(Number(length)).toBe(Buffer.byteLength(body));
}
