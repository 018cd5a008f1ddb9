import { IdentityClient } from "../../lib/identity";
import { IamTokensError, parseAuthUrl, Secret } from "../../lib/tokens";
import { whyNoKeystone } from "../keystone/real-keystone";
import { describeIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { note, printFigures } from "./figures";
import { planAll } from "./planned";
import {
  embeddedUnderLoad,
  keystoneUnderLoad,
  type LoadCredential,
  numbers,
  rateLimit,
  type ServiceUnderLoad,
} from "./service-under-load";

jest.setTimeout(600_000);
afterAll(printFigures);

/**
 * Connections of a client to one service, at most: 8 as the client sees it. The service hears of
 * their end at the same time as of the next ones.
 */
const CONNECTIONS = 16;
const SIZES = [250, 500, 1000] as const;

const issueRequest = (
  { authUrl, accountId }: ServiceUnderLoad,
  { user, password, project }: LoadCredential,
) => ({
  credential: {
    way: "password" as const,
    authUrl: parseAuthUrl(authUrl),
    accountId,
    userName: user,
    secret: Secret.of(password),
  },
  scope:
    project === undefined
      ? ({ kind: "account" } as const)
      : ({ kind: "project", projectName: project } as const),
});
const idle = () => new AbortController().signal;

/** Uses a service, and stops it. */
async function using<Result>(
  start: Promise<ServiceUnderLoad>,
  use: (service: ServiceUnderLoad) => Promise<Result>,
): Promise<Result> {
  const service = await start;
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

describeIf(hasTerraform(), "there is no Terraform here")("one plan of Terraform", () => {
  test.each([
    ["service users, of one running provider", "users"],
    ["projects of one service user, the provider launched", "projects"],
  ] as const)(
    "opens 1,000 distinct %s: few connections at once, nothing lost or asked twice, time in proportion",
    async (what, distinct) => {
      const times: number[] = [];
      for (const size of SIZES) {
        await using(embeddedUnderLoad({ credentials: size, distinct }), async (service) => {
          const { exitCode, text, durationMs, peakMb } = await planAll(service);
          if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
          const { identity, relay, credentials } = service;
          const asked =
            identity?.journal.map(({ user, scope, status }) =>
              JSON.stringify([user, scope, status]),
            ) ?? [];
          expect(asked).toHaveLength(size);
          expect(new Set(asked).size).toBe(size);
          expect(new Set(identity?.issuedTokens()).size).toBe(credentials.length);
          expect(relay.atOnce).toBeLessThanOrEqual(CONNECTIONS);
          times.push(durationMs);
          note(
            `plan: ${what}`,
            size,
            asked.length,
            size,
            relay.connections,
            relay.atOnce,
            `${durationMs} ms`,
            `${peakMb} MiB`,
          );
        });
      }
      // Four times the work takes about four times as long, or less. If the time grew with the
      // square of the work, it would take sixteen times as long.
      expect((times[2] ?? 0) / (times[0] ?? 1)).toBeLessThan(12);
    },
  );

  test("opens 50 at a service of 10 issues a second: each succeeds, after 429s in between", async () => {
    const limit = rateLimit(10);
    const { intercept } = limit;
    await using(
      embeddedUnderLoad({ credentials: 50, distinct: "projects", intercept }),
      async (service) => {
        const { exitCode, text, durationMs, peakMb } = await planAll(service);
        if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
        const { identity, relay } = service;
        const { refused } = limit;
        expect(identity?.issuedTokens()).toHaveLength(50);
        expect(refused).toBeGreaterThan(0);
        // Those that have not begun are held back with those that have to wait: else each second
        // would refuse them all.
        expect(refused).toBeLessThan(50);
        expect(relay.atOnce).toBeLessThanOrEqual(CONNECTIONS);
        note(
          "plan: 10 issues a second",
          50,
          50 + refused,
          50,
          relay.connections,
          relay.atOnce,
          `${durationMs} ms`,
          `${peakMb} MiB`,
        );
      },
    );
  });
});

test("1,000 distinct credentials requested at the same moment: few connections at once, nothing lost", async () => {
  await using(embeddedUnderLoad({ credentials: 1000, distinct: "users" }), async (service) => {
    const client = new IdentityClient();
    try {
      const started = performance.now();
      const issued = await Promise.all(
        service.credentials.map((credential) =>
          client.obtain(issueRequest(service, credential), idle()),
        ),
      );
      const took = performance.now() - started;
      expect(new Set(issued.map(({ token }) => token.reveal())).size).toBe(1000);
      expect(service.identity?.journal).toHaveLength(1000);
      expect(service.relay.atOnce).toBeLessThanOrEqual(CONNECTIONS);
      note(
        "client: at the same moment",
        1000,
        1000,
        1000,
        service.relay.connections,
        service.relay.atOnce,
        `${took.toFixed(0)} ms`,
        "-",
      );
    } finally {
      await client.close();
    }
  });
});

test("four clients against a service of 10 issues a second: each succeeds or says why, and no issued token is lost", async () => {
  // Ten times as fast as real: the waits are long, and their lengths are what counts.
  const speed = 10;
  const began = Date.now();
  const now = () => began + (Date.now() - began) * speed;
  const { intercept } = rateLimit(10, now);
  await using(
    embeddedUnderLoad({ credentials: 100, distinct: "users", intercept, now }),
    async (service) => {
      const sleep = (milliseconds: number) =>
        new Promise<void>((resolve) => setTimeout(resolve, milliseconds / speed));
      const clients = numbers(4).map(() => new IdentityClient({ now, sleep }));
      try {
        const started = now();
        const outcomes = await Promise.allSettled(
          service.credentials.map((credential, index) =>
            clients[index % 4]?.obtain(issueRequest(service, credential), idle()),
          ),
        );
        const issued = outcomes.filter(({ status }) => status === "fulfilled").length;
        for (const outcome of outcomes) {
          if (outcome.status === "fulfilled") continue;
          expect(IamTokensError.is(outcome.reason) && outcome.reason.message).toMatch(
            /answered 429 after \d+ tries in /,
          );
        }
        expect(issued).toBe(service.identity?.issuedTokens().length);
        expect(issued).toBeGreaterThanOrEqual(60);
        const { relay, identity } = service;
        const took = `${((now() - started) / 1000).toFixed(1)} s`;
        note(
          "4 clients: 10 issues a second",
          100,
          identity?.journal.length ?? 0,
          issued,
          relay.connections,
          relay.atOnce,
          took,
          "-",
        );
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    },
  );
});

const noKeystone = whyNoKeystone() ?? (hasTerraform() ? undefined : "there is no Terraform here");
describeIf(noKeystone === undefined, noKeystone ?? "")("a real Keystone", () => {
  test("issues for 50 distinct service users in one plan: few connections at once, nothing lost", async () => {
    await using(keystoneUnderLoad(50), async (service) => {
      const { exitCode, text, durationMs, peakMb } = await planAll(service);
      if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
      const { relay } = service;
      expect(relay.atOnce).toBeLessThanOrEqual(CONNECTIONS);
      note(
        "plan: a real Keystone",
        50,
        "-",
        50,
        relay.connections,
        relay.atOnce,
        `${durationMs} ms`,
        `${peakMb} MiB`,
      );
    });
  });
});
