import { TerraformVariable } from "cdktf";
import { SecretRef, StaticTokenRef, TokenKind } from "../../lib";
import { mistakesOf, partOf, testStack } from "./support";

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
