import { Fn, TerraformOutput, TerraformVariable } from "cdktf";
import { SecretRef, StaticTokenRef } from "../../../lib";
import { headerMap } from "../../../lib/constructs/declarations/header-map";
import { AnyProvider, accountToken, partOf, testStack } from "../support";

test("a program sees a map with only the header, to which it can add others", () => {
  const headers = headerMap("X-Auth-Token", "value");
  headers.Accept = "text/plain";
  expect({ ...headers }).toStrictEqual({ "X-Auth-Token": "value", Accept: "text/plain" });
});

test("it is refused in a string, where JavaScript would write [object Object]", () => {
  const headers = headerMap("X-Auth-Token", "value");
  expect(() => `${headers}`).toThrow(
    /\(X-Auth-Token\) is used in a string.*`\$\{token\.headerName\}: \$\{token\.value\}`\. \[ERR_PROP_INVALID\]$/,
  );
});

test("the header's name survives a provider's block, where cdktf changes the keys of plain maps", () => {
  const stack = testStack();
  const iam = accountToken(stack).headers;
  iam.Accept = "text/plain";
  new AnyProvider(stack, {
    iam,
    fixed: new StaticTokenRef(stack, "s", { source: SecretRef.env("T") }).headers,
    plain: { "X-Auth-Token": "value" },
  });
  expect(partOf(stack, "provider.any.0")).toMatchObject({
    iam: { "X-Auth-Token": "${ephemeral.iam_token.t.token}", Accept: "text/plain" },
    fixed: { "X-Token": "${ephemeral.iam_static_token.s.token}" },
    // The reason for all this. When cdktf no longer does it, the map can be a plain one.
    plain: expect.not.objectContaining({ "X-Auth-Token": "value" }),
  });
});

test("it can stand in an expression", () => {
  const stack = testStack();
  const headers = headerMap("X-Token", "value");
  headers.A = new TerraformVariable(stack, "a", {}).stringValue;
  new TerraformOutput(stack, "merged", {
    value: Fn.merge([headers, { Accept: "text/plain" }]),
    staticId: true,
  });
  expect(partOf(stack, "output.merged.value")).toBe(
    '${merge(tomap({"X-Token" = "value", "A" = var.a}), {"Accept" = "text/plain"})}',
  );
});
