import {
  EmbeddedIdentityService,
  InProcessIdentityService,
  identityMatchers,
} from "../../lib/testing";
import { authBody, PASSWORD, projectScope } from "./identity-client-of-a-test";

expect.extend(identityMatchers);

const identity = InProcessIdentityService.create({
  accountId: "123456",
  serviceUsers: [
    { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
  ],
});

const ask = (asked: Parameters<typeof authBody>[0]) =>
  identity.handle({
    method: "POST",
    url: "/identity/v3/auth/tokens",
    body: JSON.stringify(authBody(asked)),
  });

beforeAll(async () => {
  await ask({});
  await ask({ scope: projectScope("web") });
  await ask({ scope: projectScope("web") });
  await ask({ password: "canary-wrong" });
  await ask({ user: "nobody" });
});

function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("The assertion passed.");
}

test("issued tokens are counted by user, account, scope and project", () => {
  expect(identity).toHaveIssued();
  expect(identity).toHaveIssued({ times: 3 });
  expect(identity).toHaveIssued({ scope: "account", times: 1 });
  expect(identity).toHaveIssued({ scope: "project", times: 2 });
  expect(identity).toHaveIssued({
    user: "deployer",
    accountId: "123456",
    project: "web",
    times: 2,
  });
  expect(identity).not.toHaveIssued({ project: "archive" });
  expect(identity).not.toHaveIssued({ user: "nobody" });
  expect(identity).toHaveIssued({ accountId: "1", times: 0 });
});

test("refused requests are counted by reason and user", () => {
  expect(identity).toHaveRefused({ times: 2 });
  expect(identity).toHaveRefused({ reason: "wrong_password", user: "deployer", times: 1 });
  expect(identity).toHaveRefused({ reason: "unknown_user" });
  expect(identity).not.toHaveRefused({ reason: "no_permission" });
});

test("a failure says what was expected, and shows the journal", () => {
  expect(messageOf(() => expect(identity).toHaveIssued({ project: "archive", times: 2 }))).toBe(
    [
      'The identity service has issued a token of {"project":"archive"}: 0 times. Expected: 2 times.',
      "Its journal:",
      '  POST /identity/v3/auth/tokens 201 "deployer" of "123456" account',
      '  POST /identity/v3/auth/tokens 201 "deployer" of "123456" project "web"',
      '  POST /identity/v3/auth/tokens 201 "deployer" of "123456" project "web"',
      '  POST /identity/v3/auth/tokens 401 "deployer" of "123456" account (wrong_password)',
      '  POST /identity/v3/auth/tokens 401 "nobody" of "123456" account (unknown_user)',
    ].join("\n"),
  );
  expect(messageOf(() => expect(identity).not.toHaveRefused())).toContain(
    "2 times. Expected: not at least once.",
  );
});

test("an empty journal is reported", () => {
  const quiet = InProcessIdentityService.create({ accountId: "1", serviceUsers: [] });
  expect(messageOf(() => expect(quiet).toHaveIssued())).toContain("Its journal:\n  (empty)");
});

test.each([
  {
    what: "a misspelt expectation",
    assertion: () => expect(identity).toHaveIssued({ usr: "x" } as object),
    problem: 'does not know "usr"',
  },
  {
    what: "something else",
    assertion: () => expect({}).toHaveIssued(),
    problem: "not given an identity service",
  },
  {
    what: "the class",
    assertion: () => expect(EmbeddedIdentityService).toHaveRefused(),
    problem: "not given an identity service",
  },
  {
    what: "undefined, negated",
    assertion: () => expect(undefined).not.toHaveIssued(),
    problem: "not given an identity service",
  },
])("$what is refused, and never passes", ({ assertion, problem }) => {
  expect(messageOf(assertion)).toContain(problem);
});
