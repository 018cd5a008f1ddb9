import fc from "fast-check";
import { IdentityClient } from "../../lib/identity";
import type { Outcome } from "../../lib/identity/transport/transport";
import { IamTokensError } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";
import { answer, fault, ScriptedTransport } from "./support/scripted";
import {
  ACCOUNT,
  expectNoCanary,
  HOUR,
  httpDate,
  idle,
  NOW,
  PASSWORD_CANARY,
  project,
  requestAt,
  TOKEN_CANARY,
} from "./support/wanted";

// Anything that a service might put anywhere: secrets that it has received, commands for terminals
// and CI systems, names of other scopes.
const text = fc.oneof(
  fc.constantFrom(
    PASSWORD_CANARY,
    TOKEN_CANARY,
    `req-${PASSWORD_CANARY}`,
    "",
    "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01",
    "\u001b[2J",
    "::error::x",
    "123456",
    "654321",
    "web",
    "db",
  ),
  fc.string({ maxLength: 20 }),
);
// Not the token: one that the client was never given it cannot know.
const idText = text.filter((id) => !id.includes(TOKEN_CANARY));
const domain = fc.record(
  { name: fc.oneof(idText, fc.integer(), fc.constant(null)) },
  { requiredKeys: [] },
);
const scopeBody = fc.record(
  {
    domain,
    project: fc.record({ name: idText, domain }, { requiredKeys: [] }),
    system: fc.constant({ all: true }),
    user: fc.record({ domain }, { requiredKeys: [] }),
    expires_at: fc.oneof(
      text,
      fc
        .integer({ min: -50, max: 50 })
        .map((hours) => new Date(NOW + hours * 3_600_000).toISOString()),
    ),
    issued_at: fc.oneof(
      text,
      fc
        .integer({ min: -50, max: 50 })
        .map((hours) => new Date(NOW + hours * 3_600_000).toISOString()),
    ),
  },
  { requiredKeys: [] },
);
const headers = fc.record(
  {
    "X-Subject-Token": fc.oneof(
      { weight: 4, arbitrary: fc.constant(TOKEN_CANARY) },
      fc.array(text, { maxLength: 3 }),
    ),
    "x-openstack-request-id": idText,
    "Retry-After": fc.oneof(
      text,
      fc.integer({ min: -5, max: 200 }).map(String),
      fc.constant(httpDate(NOW + 5000)),
    ),
    Date: fc.oneof(
      text,
      fc.integer({ min: -100, max: 100 }).map((hours) => httpDate(NOW + hours * 3_600_000)),
    ),
    Location: text,
    "WWW-Authenticate": text,
  },
  { requiredKeys: [] },
);
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(201, 401, 429, 503) },
          fc.integer({ min: 200, max: 999 }),
        ),
        headers,
        fc.oneof({ weight: 3, arbitrary: fc.record({ token: scopeBody }) }, fc.json(), text),
        fc.constantFrom("complete", "complete", "cut off", "too long", "too slow", "unread"),
      )
      .map(([status, given, body, end]) => answer(status, given, body, { end: end as "complete" })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        "connect_timeout",
        "no_answer",
        "connection",
        "tls",
        "proxy_status",
        "malformed",
      )
      .map((kind) => fault(kind as "tls", { status: 502 })),
  },
);

const DAY = 24 * HOUR;

/**
 * Whether a complete body names something else than the requested one; written anew here, in order
 * to disagree.
 */
function namesOther(last: Outcome | undefined, wanted: string): boolean {
  if (last?.kind !== "answer" || last.end !== "complete") return false;
  let token: Record<string, unknown> | undefined;
  try {
    token = (
      JSON.parse(Buffer.from(last.body).toString()) as { token?: Record<string, unknown> } | null
    )?.token;
  } catch {
    return false;
  }
  if (typeof token !== "object" || token === null) return false;
  const nameIn = (value: unknown): string | undefined => {
    const name = (value as { name?: unknown } | undefined)?.name;
    return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
  };
  const project_ = token.project as { domain?: unknown } | undefined;
  if (token.system !== undefined) return true;
  if (wanted === "account")
    return project_ !== undefined || (nameIn(token.domain) ?? "123456") !== "123456";
  return (
    token.domain !== undefined ||
    (nameIn(project_) ?? wanted) !== wanted ||
    (nameIn(project_?.domain) ?? "123456") !== "123456"
  );
}

test("whatever a service answers: tries within the time, no secret in a message or log, no token of another scope", async () => {
  let handedOut = 0;
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { minLength: 1, maxLength: 6 }),
      fc.constantFrom("account", "web"),
      async (script, wanted) => {
        tried++;
        let now = NOW;
        const used: Outcome[] = [];
        const transport = new ScriptedTransport(
          ...script.map((one) => () => {
            used.push(one);
            return one;
          }),
        );
        const client = new IdentityClient({
          transport,
          now: () => now,
          random: () => 0.99,
          sleep: async (milliseconds) => {
            now += milliseconds;
          },
          log: (...line) => expectNoCanary(line),
        });
        const request = requestAt("https://keystone.example", {
          scope: wanted === "account" ? ACCOUNT : project(wanted),
        });
        try {
          const issued = await client.obtain(request, idle());
          expectNoCanary(issued);
          expect(used.at(-1)).toMatchObject({ kind: "answer", status: 201 });
          expectOften(namesOther(used.at(-1), wanted)).toBe(false);
          const { issuedAt, expiresAt, remainingMs, token } = issued;
          expectOften(remainingMs).toBeGreaterThan(0);
          expectOften(remainingMs).toBeLessThanOrEqual(DAY + 60_000);
          expectOften(Number(expiresAt) - Number(issuedAt)).toBeLessThanOrEqual(DAY);
          expectOften(token.reveal()).toMatch(/^[!-~]{1,32768}$/);
          expectOften(token.reveal()).not.toContain(PASSWORD_CANARY);
          handedOut++;
        } catch (error) {
          if (!IamTokensError.is(error)) throw error;
          expectNoCanary(error);
          expectOften(error.message).not.toMatch(/[^\n\P{Cc}]|::error/u);
        }
        expectOften(now - NOW).toBeLessThanOrEqual(19_000);
        // After an answer that settles it there is no further try.
        for (const before of used.slice(0, -1)) {
          expectOften(
            before.kind === "fault" ||
              before.status === 429 ||
              (before.status >= 500 && before.status < 600),
          ).toBe(true);
        }
      },
    ),
    fuzz(3000),
  );
  // The property would hold even for a client that never hands anything out.
  expect(handedOut).toBeGreaterThan(tried / 30);
});
