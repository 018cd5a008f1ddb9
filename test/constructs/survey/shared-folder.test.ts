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
import { onPlatform } from "../../support/platform";
import { testApp as anyApp } from "../support";

/** Both frameworks take stacks outside of the app itself; the apps of their tests may not. */
const testApp = () => anyApp({ enableFutureFlags: false });

const tokenIn = (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T") });

/** A stack of the same id in another scope. */
const twin = (app: App, id: string) => new TerraformStack(new Construct(app, "room"), id);

test.each([
  { name: "that has none", declare: () => {} },
  { name: "that has some", declare: (other: TerraformStack) => void tokenIn(other) },
])("a stack with tokens does not share its folder with one $name", ({ declare }) => {
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

test.each<[platform: NodeJS.Platform, refused: boolean]>([
  ["linux", false],
  ["darwin", true],
  ["win32", true],
])("on %s upper and lower case are the same folder: %s", (platform, refused) => {
  const app = testApp();
  for (const id of ["web", "Web"]) tokenIn(new TerraformStack(app, id));
  const synthesized = () => onPlatform(platform, () => app.synth());
  if (!refused) return synthesized();
  expect(synthesized).toThrow(
    /The stack web has the id of Web but for upper and lower case: all .*\[ERR_STACK_FOLDER_TAKEN\]/,
  );
});

test("names all stacks that share it, however they are written", () => {
  const app = testApp();
  for (const id of ["web", "Web"]) tokenIn(new TerraformStack(app, id));
  twin(app, "web");
  expect(() => onPlatform("win32", () => app.synth())).toThrow(
    "The stack web has the id of Web, room/web but for upper and lower case: all",
  );
});

test("notices a stack that is added or removed between two syntheses", () => {
  const app = testApp();
  for (const id of ["a", "b"]) tokenIn(new TerraformStack(app, id));
  app.synth();
  const other = twin(app, "b");
  expect(() => app.synth()).toThrow("[ERR_STACK_FOLDER_TAKEN]");
  app.node.tryRemoveChild(other.node.scope?.node.id ?? "");
  app.synth();
  expect(existsSync(join(folderOf(app, "b"), "cdk.tf.json"))).toBe(true);
});

test("accepts equal names of stacks without our tokens, and of stacks of two programs", () => {
  const app = testApp();
  new TerraformStack(app, "a");
  twin(app, "a");
  tokenIn(new TerraformStack(app, "b"));
  // As constructs of other kinds may have, which have no folder.
  new Construct(new Construct(app, "others"), "b");
  app.synth();
  const another = testApp();
  tokenIn(new TerraformStack(another, "b"));
  another.synth();
});

test("requests no token that two stacks would share", async () => {
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
