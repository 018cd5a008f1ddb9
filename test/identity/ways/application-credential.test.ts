import type { IssueRequest } from "../../../lib/identity";
import type { Expected } from "../../../lib/identity/references";
import { issueRequest } from "../../../lib/identity/requests";
import { type Step, scripted } from "../support/scripted";
import { errorOf, expectNoCanary, HOUR, idle, NOW, project } from "../support/wanted";
import {
  applicationCredential,
  byName,
  OWN,
  projectToken,
  refusedByKeystone,
  SECRET_CANARY,
  wish,
} from "./wishes";

const byId = applicationCredential();
const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const DAY = time(NOW + 24 * HOUR);
const WEB = { scope: project("web") };

const obtain = (step: Step, request = wish(byId)) =>
  scripted([step]).client.obtain(request, idle());
const failure = async (step: Step, request: IssueRequest) => {
  const error = await errorOf(obtain(step, request));
  expectNoCanary(error, [SECRET_CANARY]);
  return error;
};

// Without a scope: Keystone refuses any. A name is unique among those of a user of an account.
test.each([
  { name: "its id", credential: byId, by: { id: "0025618d34b349f8975e99bfd66eafc9" } },
  {
    name: "its name and its user",
    credential: byName,
    by: { name: "pipeline", user: { name: "deployer", domain: { name: "123456" } } },
  },
])("the request has the secret and $name, and no scope", ({ credential, by }) => {
  expect(JSON.parse(issueRequest(credential, OWN).body ?? "")).toEqual({
    auth: {
      identity: {
        methods: ["application_credential"],
        application_credential: { ...by, secret: SECRET_CANARY },
      },
    },
  });
});

test.each<[string, Parameters<typeof projectToken>, IssueRequest]>([
  ["whatever it is", [DAY, "any"], wish(byId)],
  ["the given one", [DAY, "web"], wish(byId, WEB)],
  ["of the given account", [DAY, "web", "123456"], wish(byName)],
  ["with an end after the token's", [time(NOW + 25 * HOUR).slice(0, 19)], wish(byId)],
])("gets the token of its project: %s", async (_name, answered, request) => {
  const issued = await obtain(projectToken(...answered), request);
  expect(issued).toMatchObject({ kind: "iam_token_project_scoped", remainingMs: 24 * HOUR });
  expect(issued.credentialEndsAt).toBeUndefined();
});

const inHex = (text: string) => Buffer.from(text).toString("hex");
const BESIDE: Expected = { user: { name: "deployer" }, project: { name: "web" } };

type Refused = [
  name: string,
  asked: string,
  other: string,
  Parameters<typeof projectToken>,
  IssueRequest,
];
test.each<Refused>([
  [
    "of another project than the given one",
    'project "web"',
    "another project",
    [DAY, "shop"],
    wish(byId, WEB),
  ],
  [
    "of another project than the expected one",
    'project "web"',
    "another project",
    [DAY, "shop"],
    wish(byId, { expected: BESIDE }),
  ],
  // Whatever the spelling: the answer's name is not repeated.
  [
    "of a project whose name is the secret in hex",
    'project "web"',
    "another project",
    [DAY, inHex(SECRET_CANARY)],
    wish(byId, WEB),
  ],
  [
    "of another account's user",
    'a user of account "123456"',
    "another account's user",
    [DAY, "web", "654321"],
    wish(byName),
  ],
  [
    "of another user than the expected one",
    'user "other"',
    "another user",
    [DAY],
    wish(byId, { expected: { user: { name: "other" } } }),
  ],
])("refuses a token %s", async (_name, asked, _other, is, request) => {
  const error = await failure(projectToken(...is), request);
  expect(error.code).toBe("ERR_SCOPE_MISMATCH");
  expect(error.problem).toMatch(`A token for ${asked} was requested, but `);
  expect(error.problem).toMatch(/ issued another one\.$/);
  expect(error.remedy).toMatch(/^Correct what is given/);
});

test("a token that was compared with less is not reused for what expects more", async () => {
  const { client } = scripted([projectToken(DAY), projectToken(DAY)]);
  await client.obtain(wish(byId), idle());
  const other = wish(byId, { expected: { project: { name: "shop" } } });
  expect((await errorOf(client.obtain(other, idle()))).code).toBe("ERR_SCOPE_MISMATCH");
});

describe("an end of its own, which Keystone writes without a zone", () => {
  const answered = projectToken(time(NOW + HOUR).slice(0, 19));

  test("is UTC, and the token's end", async () => {
    const issued = await obtain(answered);
    expect(issued.expiresAt).toEqual(new Date(NOW + HOUR));
    expect(issued.credentialEndsAt).toEqual(new Date(NOW + HOUR));
  });

  test("is named when the token cannot live as long as it must", async () => {
    const error = await failure(answered, wish(byId, { minRemainingMs: 2 * HOUR }));
    expect(error.code).toBe("ERR_LIFETIME_TOO_SHORT");
    expect(error.problem).toBe(
      `A new token of ${byId.authUrl.tokens} lives 1 h, but the required lifetime is 2 h. The application credential ends at ${time(NOW + HOUR)}.`,
    );
    expect(error.remedy).toContain("Create another application credential");
  });
});

describe("a refusal", () => {
  test("after a token says what happened since", async () => {
    const { client } = scripted([projectToken(DAY), refusedByKeystone(404)]);
    await client.issueOwn(wish(byId), idle());
    const { problem } = await errorOf(client.issueOwn(wish(byId), idle()));
    expect(problem).toContain(
      "- Most likely: the scope or the permission is wrong, or something has changed since: the same credential got",
    );
  });

  test.each([401, 404])("with %d is remembered, whatever project was expected", async (status) => {
    const { client, transport } = scripted([refusedByKeystone(status)]);
    await errorOf(client.obtain(wish(byId), idle()));
    await errorOf(client.issueOwn(wish(byId, WEB), idle()));
    expect(transport.sent).toHaveLength(1);
  });
});
