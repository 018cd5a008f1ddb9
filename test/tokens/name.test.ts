import fc from "fast-check";
import { assertName, assertProjectName, assertSegment, IamTokensError } from "../../lib/tokens";
import { anyCharacter, fuzz } from "../support/fuzz";

const problemOf = (value: unknown): string | undefined => {
  try {
    assertName("user_name", value);
    return undefined;
  } catch (error) {
    return IamTokensError.is(error) ? error.message : "another error";
  }
};

describe("a name", () => {
  test("has 1 to 255 characters of any script", () => {
    const longest = ["x".repeat(255), "\u{1f980}".repeat(255)];
    for (const name of ["web", "a b", "Бюро-7", "日本", "123456", ...longest])
      expect([name, problemOf(name)]).toEqual([name, undefined]);
  });

  test("is called by the name that was handed in, with the code of an account when it is one", () => {
    expect(() => assertName("account_id", "", "ERR_ACCOUNT_INVALID")).toThrow(
      /^account_id is empty\..*\[ERR_ACCOUNT_INVALID\]$/,
    );
  });

  test.each([
    ["user_name is empty.", ""],
    ["user_name is missing.", undefined],
    ["user_name is null, not a string.", null],
    ["user_name is a value of type number, not a string.", 7],
    ['user_name has a control character: "a\\nb".', "a\nb"],
    ['user_name has a control character: "a\\u009bb".', "a\u009bb"],
    ["user_name is not well-formed Unicode.", "\ud800"],
    ['user_name starts or ends with white space: " a".', " a"],
    ['user_name starts or ends with white space: "web\u00a0".', "web\u00a0"],
    ["user_name has 256 characters.", "x".repeat(256)],
  ])("is refused with what is allowed: %s", (problem, name) => {
    expect(problemOf(name)).toContain(
      `${problem} Allowed: a string of 1 to 255 characters without leading or trailing white space and without control characters. `,
    );
  });

  test("of a project is looked for in the list of projects", () => {
    expect(() => assertProjectName("project_name", "")).toThrow(
      expect.objectContaining({
        code: "ERR_NAME_INVALID",
        problem: "project_name is empty.",
        remedy: "Give the name of the project, as the control panel's list of projects has it.",
      }),
    );
    expect(() => assertProjectName("project_name", "web")).not.toThrow();
  });

  test.each([".", "..", "..;x", "a/b", "%2e", "a\uff0fb", "é x", "a?", "a#"])(
    "that becomes a segment of an address cannot be %j",
    (name) => {
      expect(() => assertSegment("protocol", name)).toThrow(
        expect.objectContaining({
          code: "ERR_NAME_INVALID",
          problem: `protocol is "${name}", which cannot be a segment of an address.`,
          allowed: expect.stringMatching(/^letters .* other than "\." and "\.\."$/),
        }),
      );
    },
  );

  test("that becomes a segment of an address may have the characters of ids", () => {
    for (const name of ["openid", "a..b", "...", ".a", "ci-1_x~:@!$&'()*+,="])
      expect(() => assertSegment("protocol", name)).not.toThrow();
    expect(() => assertSegment("protocol", "")).toThrow("protocol is empty.");
  });

  test("never brings a control character into a message", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        expect(problemOf(name) ?? "").not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
      fuzz(100),
    );
  });
});
