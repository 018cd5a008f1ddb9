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

test.each<[words: string, claims: object]>([
  [
    'iss "https://i.example", aud "keystone", sub "a/b", expired 7 min ago',
    {
      iss: "https://i.example",
      aud: "keystone",
      sub: "a/b",
      exp: NOW / 1_000 - 420,
      jti: "CANARY",
    },
  ],
  ["expired 0 s ago", { exp: NOW / 1_000 }],
  ["expires in 5 min", { exp: NOW / 1_000 + 300 }],
  ['aud "a, b"', { aud: ["a", "b"] }],
  ['sub "\\u003a:add-mask::\\u001b\\n\\u202e"', { sub: "::add-mask::\u001b\n\u202e" }],
])("claims are printed as %s", (words, claims) => {
  expect(inWords(claims)).toBe(words);
});

test("a claim is printed to its 200th character, and what is none is not", () => {
  expect(inWords({ iss: "x".repeat(201) })).toBe(`iss "${"x".repeat(200)}…"`);
  const odd = { iss: 1, aud: {}, sub: ["x"], exp: "1" };
  for (const claims of ["text", null, odd, { exp: 1e300 }, "[".repeat(12_000)])
    expect(inWords(claims)).toBe("without readable claims");
});
