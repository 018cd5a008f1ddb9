import { IdentityClient } from "../../lib/identity";
import { parseAuthUrl, Secret } from "../../lib/tokens";
import { describeIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { planAll } from "./plans";
import { PASSWORD, rateLimit, type ServiceUnderLoad, USER, underLoad } from "./service-under-load";

jest.setTimeout(600_000);

/**
 * Connections of a client to one service, at most: 8 as the client sees it. The service hears of
 * their end at the same time as of the next ones.
 */
const CONNECTIONS = 16;

/** Each project got one token, by one request, over few connections at once. */
function expectNothingLost({ identity, projects, relay }: ServiceUnderLoad): void {
  const issued = identity.journal.filter(({ status }) => status === 201);
  expect(new Set(issued.map(({ scope }) => JSON.stringify(scope))).size).toBe(projects.length);
  expect(issued).toHaveLength(projects.length);
  expect(relay.atOnce).toBeLessThanOrEqual(CONNECTIONS);
}

test("1,000 distinct scopes requested at the same moment", async () => {
  await underLoad(1000, async (service) => {
    const client = new IdentityClient();
    try {
      const domain = { name: "123456" };
      const credential = {
        way: "password" as const,
        authUrl: parseAuthUrl(service.authUrl),
        user: { name: USER, domain },
        secret: Secret.of(PASSWORD),
      };
      await Promise.all(
        service.projects.map((name) =>
          client.obtain(
            { credential, scope: { kind: "project", project: { name, domain } } },
            new AbortController().signal,
          ),
        ),
      );
      expectNothingLost(service);
    } finally {
      await client.close();
    }
  });
});

describeIf(hasTerraform(), "there is no Terraform here")("one plan of Terraform", () => {
  test("opens 1,000 tokens", async () => {
    await underLoad(1000, async (service) => {
      await planAll(service);
      expectNothingLost(service);
    });
  });

  test("opens 50 at a service of 10 issues a second: each succeeds, after 429s in between", async () => {
    await underLoad(
      50,
      async (service) => {
        await planAll(service);
        expectNothingLost(service);
      },
      rateLimit(10),
    );
  });
});
