import { Secret } from "../../lib/tokens";
import { assertIdentityToken, claimsOf, describeClaims } from "../../lib/tokens/identity-token";
import { errorOf } from "../identity/support/wanted";

const ORIGIN = "oidc_token_file of the provider block";
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const jwt = (claims: unknown) =>
  Secret.of(`${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`);
const inWords = (claims: unknown) => describeClaims(claimsOf(jwt(claims)), NOW);

describe("the form of an identity token", () => {
  test("is three parts of base64url", () => {
    expect(() => assertIdentityToken(jwt({ sub: "x" }), ORIGIN)).not.toThrow();
  });

  test.each<[string, string, string]>([
    ["nothing", "", "has 1 part in place of three"],
    ["a password", "hunter2-CANARY", "has 1 part in place of three"],
    ["cut in its second part", "CANARY.CANARY", "has 2 parts in place of three"],
    ["cut before its signature", "CANARY.CANARY.", "has a part that is empty or not base64url"],
    ["of five parts (encrypted)", "a.b.c.d.CANARY", "has 5 parts in place of three"],
    ["of 100 kB", `a.${"CANARY".repeat(17_000)}.c`, "has 102004 characters"],
    ["on two lines", "CANARY.b\n.c", "contains white space"],
    ["with an escape for terminals", "CANARY.\u001b[31m.c", "contains characters other than"],
    ["in another base64", "CANARY.a+b=.c", "has a part that is empty or not base64url"],
  ])("is not %s", async (_name, text, why) => {
    const error = await errorOf(() => assertIdentityToken(Secret.of(text), ORIGIN));
    expect(error.code).toBe("ERR_IDENTITY_TOKEN_INVALID");
    expect(error.problem).toContain(`The identity token (${ORIGIN}) ${why}`);
    expect(error.message).not.toContain("CANARY");
  });
});

describe("the claims of an identity token", () => {
  test("are issuer, audience, subject and end, and nothing else", () => {
    const claims = {
      iss: "https://i.example",
      aud: "keystone",
      sub: "repo:a/b",
      exp: NOW / 1_000 - 420,
    };
    expect(claimsOf(jwt({ ...claims, jti: "CANARY" }))).toEqual({
      ...claims,
      exp: NOW - 420_000,
    });
    expect(inWords(claims)).toBe(
      'iss "https://i.example", aud "keystone", sub "repo:a/b", expired 7 min ago',
    );
    expect(inWords({ exp: NOW / 1_000 + 300 })).toBe("expires in 5 min");
  });

  test("have up to four audiences", () => {
    expect(inWords({ aud: ["a", 1, "b", "c", "d", "e"] })).toBe('aud "a, b, c, d"');
  });

  test.each<[string, unknown]>([
    ["text", "text"],
    ["null", null],
    ["a list", []],
    ["other types", { iss: 1, aud: {}, sub: ["x"], exp: "1" }],
    ["an end beyond all times", { exp: 1e300 }],
    ["brackets without end", "[".repeat(12_000)],
  ])("of %s are none", (_name, claims) => {
    expect(inWords(claims)).toBe("without readable claims");
  });

  test("are cut, and printed without escapes and commands", () => {
    const text = inWords({
      iss: `\u001b]0;x\u0007${"y".repeat(5_000)}`,
      sub: "::add-mask::x\n\u202e",
    });
    expect(text.length).toBeLessThan(400);
    expect(text).not.toMatch(/[\p{C}\u2028\u2029]/u);
    expect(text).not.toContain("::add");
    expect(text).toContain("\\u001b");
  });

  test("of what is too long to be one are none", () => {
    expect(claimsOf(jwt({ sub: "x".repeat(20_000) }))).toEqual({});
  });
});
