import { IdentityClient } from "../../../lib/identity";
import { issueRequest } from "../../../lib/identity/requests";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { ScriptedTransport } from "../support/scripted-transport";
import { errorOf, expectNoCanary, HOUR, idle, NOW, project } from "../support/wanted";
import {
  applicationCredential,
  byName,
  OWN,
  projectToken,
  REQUEST_ID,
  refusedByKeystone,
  SECRET_CANARY,
  wish,
} from "./wishes";

const ID_OF = "0025618d34b349f8975e99bfd66eafc9";
const byId = applicationCredential();
const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const DAY = time(NOW + 24 * HOUR);

function clientOf(...steps: (Outcome | (() => Outcome))[]) {
  const transport = new ScriptedTransport(...steps);
  const client = new IdentityClient({
    transport,
    now: () => NOW,
    sleep: async () => {},
  });
  return { client, transport };
}

const failure = async (step: Outcome, request = wish(byId)) => {
  const error = await errorOf(clientOf(step).client.obtain(request, idle()));
  expect(error.message).not.toContain(SECRET_CANARY);
  expectNoCanary(error);
  return error;
};

describe("the request", () => {
  const authOf = (credential: typeof byId) =>
    JSON.parse(issueRequest(credential, OWN).body ?? "").auth;

  test("has id and secret, and no scope: Keystone refuses any", () => {
    expect(authOf(byId)).toEqual({
      identity: {
        methods: ["application_credential"],
        application_credential: {
          id: "0025618d34b349f8975e99bfd66eafc9",
          secret: SECRET_CANARY,
        },
      },
    });
  });

  test("by name has the user and the account, among whose names it is unique", () => {
    expect(authOf(byName)).toEqual({
      identity: {
        methods: ["application_credential"],
        application_credential: {
          name: "pipeline",
          secret: SECRET_CANARY,
          user: { name: "deployer", domain: { name: "123456" } },
        },
      },
    });
  });
});

test.each<[string, Parameters<typeof projectToken>, ReturnType<typeof wish>]>([
  ["whatever it is", [DAY, "any"], wish(byId)],
  ["the given one", [DAY, "web"], wish(byId, { scope: project("web") })],
  ["of the given account", [DAY, "web", "123456"], wish(byName)],
])("gets the token of its project: %s", async (_name, answered, request) => {
  const { issued } = {
    issued: await clientOf(projectToken(...answered)).client.obtain(request, idle()),
  };
  expect(issued).toMatchObject({
    kind: "iam_token_project_scoped",
    remainingMs: 24 * HOUR,
  });
  expect(issued.credentialEndsAt).toBeUndefined();
});

test.each<[string, Parameters<typeof projectToken>, ReturnType<typeof wish>]>([
  ['another project, "shop"', [DAY, "shop"], wish(byId, { scope: project("web") })],
  [
    'another project, "\\u001b[2J\\u003a:error"',
    [DAY, "\u001b[2J::error"],
    wish(byId, { scope: project("web") }),
  ],
  ["another project", [DAY, `a ${SECRET_CANARY}`], wish(byId, { scope: project("web") })],
  ["another account's user", [DAY, "web", "654321"], wish(byName)],
])("refuses a token for %s than the given one", async (other, answered, request) => {
  const error = await failure(projectToken(...answered), request);
  expect(error.code).toBe("ERR_SCOPE_MISMATCH");
  expect(error.problem).toContain(`issued a token for ${other}: the application credential`);
  expect(error.remedy).toBe("Correct project_name and account_id, or leave them out.");
});

describe("an end of its own, which Keystone writes without a zone", () => {
  const END = time(NOW + HOUR).slice(0, 19);

  test("is UTC, and the token's end", async () => {
    const issued = await clientOf(projectToken(END)).client.obtain(wish(byId), idle());
    expect(issued.expiresAt).toEqual(new Date(NOW + HOUR));
    expect(issued.credentialEndsAt).toEqual(new Date(NOW + HOUR));
  });

  test("is named when the token cannot live as long as it must", async () => {
    const error = await failure(projectToken(END), wish(byId, { minRemainingMs: 2 * HOUR }));
    expect(error.code).toBe("ERR_LIFETIME_TOO_SHORT");
    expect(error.problem).toBe(
      `A new token of ${
        byId.authUrl.tokens
      } lives 1 h, but min_remaining is 2 h. The application credential ends at ${time(
        NOW + HOUR,
      )}.`,
    );
    expect(error.remedy).toContain("Create another application credential");
  });
});

describe("a refusal", () => {
  const SECRET = "- The secret is wrong: Keystone displays it once";
  const ID = "- There is none with this id";
  test.each<[number, string, ReturnType<typeof wish>, string, string]>([
    [401, "id", wish(byId), `application credential "${ID_OF}"`, SECRET],
    [404, "id", wish(byId), `application credential "${ID_OF}"`, ID],
    [401, "name", wish(byName), '"pipeline" of user "deployer" in account "123456"', SECRET],
  ])("with %d by %s says what may be wrong with it", async (status, by, request, who, first) => {
    const { code, problem, remedy } = await failure(refusedByKeystone(status), request);
    expect(code).toBe("ERR_CREDENTIALS_REJECTED");
    const [fact, cause] = problem.split("\n");
    expect(fact).toContain(
      `answered ${status} (request id ${REQUEST_ID}) to application credential`,
    );
    expect(fact).toContain(who);
    expect(cause).toContain(first);
    expect(problem.includes("account number is wrong")).toBe(by === "name");
    expect(remedy).not.toContain("locked");
  });

  test("after a token says what happened since", async () => {
    const { client } = clientOf(projectToken(DAY), refusedByKeystone(404));
    await client.issueOwn(wish(byId), idle());
    const { problem } = await errorOf(client.issueOwn(wish(byId), idle()));
    expect(problem).toContain(
      "- Most likely: something has changed since: the same credential got",
    );
  });

  test("says first that the secret has additional characters", async () => {
    const padded = applicationCredential({ secret: Secret.of(`${SECRET_CANARY}\r`) });
    const { problem } = await failure(refusedByKeystone(401), wish(padded));
    expect(problem).toContain("causes:\n- Most likely: the secret that was sent starts or ends");
  });

  test.each([401, 404])("with %d is remembered, whatever project was expected", async (status) => {
    const { client, transport } = clientOf(refusedByKeystone(status));
    await errorOf(client.obtain(wish(byId), idle()));
    await errorOf(client.issueOwn(wish(byId, { scope: project("web") }), idle()));
    expect(transport.sent).toHaveLength(1);
  });
});
