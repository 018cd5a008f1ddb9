import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { TokenResolution } from "../../../lib";
import type { ResolvedToken, TokenRecord } from "../../../lib/constructs/declarations/registry";
import { synthTokensOf, valuesToWrite } from "../../../lib/constructs/survey/synth-tokens";
import { Secret } from "../../../lib/tokens";
import { testApp } from "../support";

const record = (construct: Construct, resolution = TokenResolution.SYNTH) =>
  ({
    construct,
    resolution,
    blockType: "iam_static_token",
    asked: new Set(),
    terraformName: () => construct.node.id,
  }) as unknown as TokenRecord;

const stackOf = () => new TerraformStack(testApp(), "stack");

test("only tokens that are resolved before synthesis, and are still in the stack, have values", () => {
  const stack = stackOf();
  const here = record(new Construct(stack, "here"));
  const byTerraform = record(new Construct(stack, "by-terraform"), TokenResolution.DATA);
  const removed = record(new Construct(stack, "removed"));
  stack.node.tryRemoveChild("removed");
  expect(synthTokensOf(stack, { tokens: [here, byTerraform, removed] })).toEqual([here]);
  expect(synthTokensOf(stack, { tokens: [byTerraform] })).toEqual([]);
});

describe("the values next to a stack", () => {
  const one = record(new Construct(stackOf(), "one"));
  const other = record(new Construct(stackOf(), "other"));
  const resolved: ResolvedToken = { token: Secret.of("token-of-one"), details: undefined };
  const pass = { skipped: false, isWritten: () => true, notes: () => [] };
  const values = new Map([[one, resolved]]);
  const THERE = { other_token: "token-of-before" };

  test.each([
    { what: "none without tokens", tokens: [], given: { ...pass, values }, expected: undefined },
    { what: "none without a pass", tokens: [one], given: undefined, expected: undefined },
    {
      what: "none if the pass writes none",
      tokens: [one],
      given: { ...pass, values, isWritten: () => false },
      expected: undefined,
    },
    {
      what: "those of the pass, and a placeholder for what it did not resolve",
      tokens: [one, other],
      given: { ...pass, values },
      expected: { one_token: "token-of-one", other_token: "not-resolved" },
    },
    {
      what: "those that are there, if the pass was skipped, even one that writes none",
      tokens: [one, other],
      given: { ...pass, values: new Map(), skipped: true, isWritten: () => false },
      expected: { one_token: "not-resolved", other_token: "token-of-before" },
    },
  ])("are $what", ({ tokens, given, expected }) => {
    expect(valuesToWrite(tokens, given, () => THERE)).toEqual(expected);
  });
});
