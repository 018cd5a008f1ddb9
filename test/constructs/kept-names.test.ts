import { Fn, type IResolveContext, Lazy, TerraformStack } from "cdktf";
import { SecretRef, StaticTokenRef } from "../../lib";
import {
  accountToken,
  anyProvider,
  anyResource,
  jsonOf,
  mistakesOf,
  partOf,
  testApp,
  testStack,
} from "./support";

const TOKEN = "${ephemeral.iam_token.t.token}";

test("headers, an environment and their copies keep their names in a provider's block", () => {
  const stack = testStack();
  const token = accountToken(stack);
  const fixed = new StaticTokenRef(stack, "s", { source: SecretRef.env("T") });
  anyProvider(stack, {
    headers: token.headers,
    copy: { ...fixed.headersFor("https://api.example.com"), "Content-Type": "text/plain" },
    exec: [{ apiVersion: "v1", env: token.environment("KUBE_TOKEN") }],
    own: { api_key: token.value, tokenName: "n" },
    more: { env: { ...token.environment("A"), KUBE_HOME: "/tmp" }, tokenName: token.value },
    // The reason for all this. When cdktf no longer does it, it can go.
    plain: { "X-Auth-Token": "value", KUBE_TOKEN: "value" },
  });
  expect(mistakesOf(stack)).toEqual([]);
  expect(partOf(stack, "provider.any.0")).toStrictEqual({
    headers: { "X-Auth-Token": TOKEN },
    copy: { "X-Token": "${ephemeral.iam_static_token.s.token}", "Content-Type": "text/plain" },
    exec: [{ api_version: "v1", env: { KUBE_TOKEN: TOKEN, KUBE_TOKEN_HEADER: "X-Auth-Token" } }],
    own: { api_key: TOKEN, tokenName: "n" },
    more: { env: { A: TOKEN, A_HEADER: "X-Auth-Token", KUBE_HOME: "/tmp" }, token_name: TOKEN },
    plain: { x_auth_token: "value", kube_token: "value" },
  });
});

test("names are kept when validations are skipped, by overrides, and in a provider that is added late", () => {
  const app = testApp();
  const stack = new TerraformStack(app, "stack");
  const token = accountToken(stack);
  const first = anyProvider(stack, { headers: token.headers });
  first.addOverride("headers.Accept", "text/plain");
  const given = anyProvider(stack, { headers: token.headers }, "overridden");
  given.addOverride("headers", { "X-Auth-Token": "of the override" });
  stack.node.addValidation({
    validate: () => {
      anyProvider(stack, { headers: token.headers }, "late");
      return [];
    },
  });
  app.synth();
  const headers = { "X-Auth-Token": TOKEN };
  expect(jsonOf(stack).provider).toMatchObject({
    any: [{ headers: { ...headers, Accept: "text/plain" } }, {}, { headers }],
  });
  expect(partOf(stack, "provider.any.1.headers")).toEqual({ "X-Auth-Token": "of the override" });
});

test("headers can stand in an expression", () => {
  const stack = testStack();
  const seen = Fn.merge([accountToken(stack).headers, { Accept: "text/plain" }]);
  anyResource(stack, "r", { seen });
  expect(partOf(stack, "resource.any_thing.r.seen")).toBe(
    '${merge({"X-Auth-Token" = ephemeral.iam_token.t.token}, {"Accept" = "text/plain"})}',
  );
});

test("a program's own lazy value gets what Terraform gets", () => {
  const stack = testStack();
  const token = accountToken(stack);
  const produce = (context: IResolveContext) => context.resolve(token.value).toUpperCase();
  const seen = Lazy.stringValue({ produce });
  anyResource(stack, "r", { seen });
  expect(mistakesOf(stack)).toEqual([]);
  expect(partOf(stack, "resource.any_thing.r.seen")).toBe(TOKEN.toUpperCase());
});
