import { existsSync } from "node:fs";
import { join } from "node:path";
import { type App, TerraformOutput, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../../lib";
import {
  folderOf,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
} from "../../resolution/support";
import { testApp } from "../support";

const tokenIn = (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T") });

/** A stack of the same id in another scope. */
const twin = (app: App, id: string) => new TerraformStack(new Construct(app, "room"), id);

test.each([
  ["that has none", () => {}],
  ["that has some", (other: TerraformStack) => void tokenIn(other)],
])("a stack with tokens does not share its folder with one %s", (_name, declare) => {
  const app = testApp();
  tokenIn(new TerraformStack(app, "a"));
  declare(twin(app, "a"));
  expect(() => app.synth()).toThrow(
    /\[a\/cdktf-iam-tokens\] The stack a has the id of room\/a: all are written into stacks\/a.*another id.*\[ERR_STACK_FOLDER_TAKEN\]/,
  );
  expect(existsSync(folderOf(app, "a"))).toBe(false);
});

test("whichever is written first", () => {
  const app = testApp();
  new TerraformOutput(twin(app, "a"), "o", { value: "" });
  tokenIn(new TerraformStack(app, "a"));
  expect(() => app.synth()).toThrow("[ERR_STACK_FOLDER_TAKEN]");
});

test("a stack that comes between two syntheses is seen, and one that goes", () => {
  const app = testApp();
  for (const id of ["a", "b"]) tokenIn(new TerraformStack(app, id));
  app.synth();
  const other = twin(app, "b");
  expect(() => app.synth()).toThrow("[ERR_STACK_FOLDER_TAKEN]");
  app.node.tryRemoveChild(other.node.scope?.node.id ?? "");
  app.synth();
  expect(existsSync(join(folderOf(app, "b"), "cdk.tf.json"))).toBe(true);
});

test("stacks without a token of ours, and stacks of two programs, are nobody's business", () => {
  const app = testApp();
  new TerraformStack(app, "a");
  twin(app, "a");
  tokenIn(new TerraformStack(app, "b"));
  app.synth();
  const another = testApp();
  tokenIn(new TerraformStack(another, "b"));
  another.synth();
});

test("no token is asked for that two stacks would share", async () => {
  const service = await startIdentity();
  const app = testApp();
  stackWithToken(app, "a", service);
  const scope = twin(app, "a");
  new StaticTokenRef(scope, "t", {
    source: SecretRef.env("SERVICE_USER_PASSWORD"),
    resolution: TokenResolution.SYNTH,
  });
  const { message } = await rejection(resolve(app, { writeFile: false }));
  expect(message).toMatch(
    /\[a\] .*\[ERR_STACK_FOLDER_TAKEN\]\n {2}\[room\/a\] .*\[ERR_STACK_FOLDER_TAKEN\]/,
  );
  expect(service.requests()).toBe(0);
});
