import { Fn, TerraformOutput } from "cdktf";
import { SecretRef, StaticTokenRef } from "../../../lib";
import { headerMap } from "../../../lib/constructs/declarations/token-reference";
import { AnyProvider, accountToken, partOf, testStack } from "../support";

test("a program sees a map with only the header, which can be spread", () => {
  const headers = headerMap("X-Auth-Token", "value");
  expect({ ...headers, Accept: "text/plain" }).toStrictEqual({
    "X-Auth-Token": "value",
    Accept: "text/plain",
  });
});

test("the header's name survives a provider's block, where cdktf changes the keys of plain maps", () => {
  const stack = testStack();
  new AnyProvider(stack, {
    iam: accountToken(stack).headers,
    fixed: new StaticTokenRef(stack, "s", { source: SecretRef.env("T") }).headers,
    plain: { "X-Auth-Token": "value" },
  });
  expect(partOf(stack, "provider.any.0")).toMatchObject({
    iam: { "X-Auth-Token": "${ephemeral.iam_token.t.token}" },
    fixed: { "X-Token": "${ephemeral.iam_static_token.s.token}" },
    // The reason for all this. When cdktf no longer does it, the map can be a plain one.
    plain: expect.not.objectContaining({ "X-Auth-Token": "value" }),
  });
});

test("it can stand in an expression", () => {
  const stack = testStack();
  new TerraformOutput(stack, "merged", {
    value: Fn.merge([headerMap("X-Token", "value"), { Accept: "text/plain" }]),
    staticId: true,
  });
  expect(partOf(stack, "output.merged.value")).toMatch(
    /^\$\{merge\(\{"X-Token" = "?value"?\}, \{"Accept" = "text\/plain"\}\)\}$/,
  );
});
