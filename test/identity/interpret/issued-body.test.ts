import { issueAnswerBodySchema } from "../../../lib/identity/interpret/issued-body";

describe("the schema of the answer", () => {
  test("drops invalid members, each by itself", () => {
    const parsed = issueAnswerBodySchema.parse({
      token: { expires_at: 5, issued_at: null, project: { name: "web", domain: 7 }, domain: [] },
    });
    expect(parsed.token.project?.name).toBe("web");
    expect(parsed.token.expires_at).toBeUndefined();
    expect(parsed.token.domain).toBeUndefined();
  });

  test("reads a number as a name", () => {
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
