import { assertIdentityToken, claimsOf, describeClaims, Secret } from "../../lib/tokens";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const jwt = (claims: unknown) =>
  Secret.of(`${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`);
const inWords = (claims: unknown) => describeClaims(claimsOf(jwt(claims)), NOW);

test("an identity token is three parts of base64url", () => {
  expect(() => assertIdentityToken(jwt({ sub: "x" }), "oidc_token_env")).not.toThrow();
});

test.each<[what: string, text: string, size: string, why?: string]>([
  ["nothing", "", "characters: 0, parts: 1"],
  ["a password", "hunter2-CANARY", "characters: 14, parts: 1"],
  ["cut before its signature", "CANARY.CANARY.", "characters: 14, parts: 3"],
  ["of five parts (encrypted)", "a.b.c.d.CANARY", "characters: 14, parts: 5"],
  ["too long", `a.${"CANARY".repeat(17_000)}.c`, "characters: 102004, parts: 3"],
  ["on two lines", "CANARY.b\n.c", "characters: 11, parts: 3", "It contains white space."],
  [
    "with a newline at its end",
    "CANARY.b.c\n",
    "characters: 11, parts: 3",
    "It starts or ends with white space, ",
  ],
  [
    "in quotes",
    '"CANARY.b.c"',
    "characters: 12, parts: 3",
    "It begins and ends with a quote, which docker ",
  ],
  ["a reference", "op://CANARY", "characters: 11, parts: 1", "It is a reference of 1Password"],
  ["in another base64", "CANARY.a+b=.c", "characters: 13, parts: 3"],
])("one that is %s is refused and not repeated", (_what, text, size, why = "") => {
  const check = () => assertIdentityToken(Secret.of(text), "oidc_token_file");
  expect(check).toThrow(
    `The identity token (oidc_token_file) is not a JWT (${size}). ${why}`.trim(),
  );
  expect(check).toThrow(/ Allowed: three parts of base64url .*\[ERR_IDENTITY_TOKEN_INVALID\]$/);
  expect(check).not.toThrow(/CANARY/);
});

test.each<[claims: unknown, words: string]>([
  [
    {
      iss: "https://i.example",
      aud: "keystone",
      sub: "a/b",
      exp: NOW / 1_000 - 420,
      jti: "CANARY",
    },
    'iss "https://i.example", aud "keystone", sub "a/b", expired 7 min ago',
  ],
  [{ exp: NOW / 1_000 }, "expired 0 s ago"],
  [{ exp: NOW / 1_000 + 300 }, "expires in 5 min"],
  [{ aud: ["a", "b"] }, 'aud "a, b"'],
  [{ iss: "x".repeat(201) }, `iss "${"x".repeat(200)}…"`],
  [{ sub: "::add-mask::\u001b\n\u202e" }, 'sub "\\u003a:add-mask::\\u001b\\n\\u202e"'],
  ["text", "without readable claims"],
  [null, "without readable claims"],
  [{ iss: 1, aud: {}, sub: ["x"], exp: "1" }, "without readable claims"],
  [{ exp: 1e300 }, "without readable claims"],
  ["[".repeat(12_000), "without readable claims"],
])("the claims %j are printed as %s", (claims, words) => {
  expect(inWords(claims)).toBe(words);
});
