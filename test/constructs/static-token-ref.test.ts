import { Lazy, TerraformStack, TerraformVariable } from "cdktf";
import { SecretRef, StaticTokenRef, TokenKind, TokenResolution } from "../../lib";
import { jsonOf, mistakesOf, partOf, testApp, testStack } from "./support";

const CANARY = "canary-static-token";

test("a static token is looked up by the default configuration", () => {
  const stack = testStack();
  new StaticTokenRef(stack, "env", { source: SecretRef.env("STATIC_TOKEN") });
  new StaticTokenRef(stack, "file", { source: SecretRef.file("/run/secrets/token") });
  const variable = new TerraformVariable(stack, "token", {});
  variable.addOverride("ephemeral", true);
  new StaticTokenRef(stack, "value", { source: SecretRef.fromTerraform(variable.stringValue) });
  expect(partOf(stack, "ephemeral.iam_static_token")).toEqual({
    env: { env: "STATIC_TOKEN" },
    file: { file: "/run/secrets/token" },
    value: { value: "${var.token}" },
  });
  expect(partOf(stack, "provider.iam")).toEqual([{}]);
  expect(mistakesOf(stack)).toEqual([]);
});

test("it is sent in X-Token", () => {
  const token = new StaticTokenRef(testStack(), "t", { source: SecretRef.env("T") });
  expect(token.kind).toBe(TokenKind.STATIC_TOKEN);
  expect(token.headerName).toBe("X-Token");
  expect(Object.keys(token.headers)).toEqual(["X-Token"]);
});

test("by data it needs acceptStaticTokenInState", () => {
  const stack = testStack();
  new StaticTokenRef(stack, "no", { source: SecretRef.env("T"), resolution: TokenResolution.DATA });
  new StaticTokenRef(stack, "yes", {
    source: SecretRef.env("T"),
    resolution: TokenResolution.DATA,
    acceptStaticTokenInState: true,
  });
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(/^\[stack\/no\] .*\[ERR_STATIC_TOKEN_IN_STATE\]$/),
  ]);
  expect(partOf(stack, "data.iam_static_token")).toEqual({
    no: { env: "T" },
    yes: { env: "T", accept_in_state: true },
  });
});

test.each([
  ["a literal", CANARY as never, "ERR_SECRET_LITERAL"],
  ["nothing", undefined as never, "ERR_PROP_INVALID"],
  ["a literal as Terraform's", SecretRef.fromTerraform(CANARY), "ERR_SECRET_LITERAL"],
  [
    "an expression with text around it",
    SecretRef.fromTerraform(`${CANARY}\${var.x}`),
    "ERR_SECRET_LITERAL",
  ],
  [
    "a literal in the form of an expression",
    SecretRef.fromTerraform(`\${"${CANARY}"}`),
    "ERR_SECRET_LITERAL",
  ],
  [
    "a lazy literal",
    SecretRef.fromTerraform(Lazy.stringValue({ produce: () => CANARY })),
    "ERR_SECRET_LITERAL",
  ],
])("%s as source is refused, not repeated and not written", (_what, source, code) => {
  const stack = testStack();
  new StaticTokenRef(stack, "t", { source });
  const mistakes = mistakesOf(stack);
  expect(mistakes).toEqual([expect.stringMatching(new RegExp(`^\\[stack/t\\] .*\\[${code}\\]$`))]);
  expect(mistakes.join()).not.toContain(CANARY);
  expect(JSON.stringify(jsonOf(stack))).not.toContain(CANARY);
});

test("a value of another stack is refused, which cdktf would carry through that stack's state", () => {
  const app = testApp();
  const variable = new TerraformVariable(new TerraformStack(app, "other"), "token", {});
  const stack = new TerraformStack(app, "stack");
  new StaticTokenRef(stack, "t", { source: SecretRef.fromTerraform(variable.stringValue) });
  expect(mistakesOf(stack).join()).toMatch(/\[stack\/t\] .*\[ERR_OTHER_STACK\]/);
});
