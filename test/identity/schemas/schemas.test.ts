import { issueAnswerBodySchema, issueRequestBodySchema } from "../../../lib/identity/schemas";

const identity = {
  methods: ["password"],
  password: { user: { name: "u", domain: { name: "1" }, password: "p" } },
};

describe("the schema of the request", () => {
  test.each([
    ["account", { domain: { name: "1" } }],
    ["project", { project: { name: "p", domain: { name: "1" } } }],
  ])("accepts the %s scope, and unknown members beside it", (_name, scope) => {
    expect(
      issueRequestBodySchema.safeParse({ auth: { identity, scope, extra: 1 }, more: 2 }).success,
    ).toBe(true);
  });

  test.each([
    ["no scope", { auth: { identity } }],
    [
      "both scopes",
      {
        auth: {
          identity,
          scope: { domain: { name: "1" }, project: { name: "p", domain: { name: "1" } } },
        },
      },
    ],
    ["a project without account", { auth: { identity, scope: { project: { name: "p" } } } }],
    ["a number as account", { auth: { identity, scope: { domain: { name: 1 } } } }],
    [
      "another method",
      { auth: { identity: { ...identity, methods: ["token"] }, scope: { domain: { name: "1" } } } },
    ],
    ["null", null],
  ])("refuses %s", (_name, body) => {
    expect(issueRequestBodySchema.safeParse(body).success).toBe(false);
  });
});

describe("the schema of the answer", () => {
  test("drops what is not of the form, each member by itself", () => {
    const parsed = issueAnswerBodySchema.parse({
      token: { expires_at: 5, issued_at: null, project: { name: "web", domain: 7 }, domain: [] },
    });
    expect(parsed.token.project?.name).toBe("web");
    expect(parsed.token.expires_at).toBeUndefined();
    expect(parsed.token.domain).toBeUndefined();
  });

  test("reads a number as the name it stands for", () => {
    expect(
      issueAnswerBodySchema.parse({ token: { domain: { name: 123456 } } }).token.domain?.name,
    ).toBe("123456");
  });

  test.each([[{}], [{ token: "text" }], [[]], [null]])(
    "does not take %j for one of Keystone's",
    (body) => {
      expect(issueAnswerBodySchema.safeParse(body).success).toBe(false);
    },
  );
});
