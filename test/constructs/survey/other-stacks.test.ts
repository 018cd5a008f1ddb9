import {
  type App,
  Aspects,
  type IAspect,
  ref,
  TerraformLocal,
  TerraformStack,
  Testing,
} from "cdktf";
import type { IConstruct } from "constructs";
import { type ServiceUserToken, TokenResolution } from "../../../lib";
import { AnyProvider, AnyResource, annotationsOf, mistakesOf, testApp } from "../support";
import { tokenIn } from "./any-token";

test.each([
  {
    where: "in what the other stack uses",
    declare: (t: ServiceUserToken) => `\${ephemeralasnull(${t.value})}`,
  },
  {
    where: "on the way there",
    declare: (t: ServiceUserToken, a: TerraformStack) => {
      new TerraformLocal(a, "token", t.value);
      return "${ephemeralasnull(local.token)}";
    },
  },
])("ephemeralasnull leaves a data token as it is: refused $where", ({ declare }) => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const local = new TerraformLocal(a, "through", declare(tokenIn(a, TokenResolution.DATA), a));
  new AnyResource(b, "r", { value: local.asString });

  expect(() => app.synth()).toThrow(
    /\[a\/web\] .*through the local value through.*ERR_OTHER_STACK/,
  );
});

test("a data token in a local value that another stack uses would stand in that stack's state", () => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const token = tokenIn(a, TokenResolution.DATA);
  const headers = new TerraformLocal(a, "headers", token.headers);
  const through = new TerraformLocal(a, "through", `${headers.expression}`);
  const harmless = new TerraformLocal(a, "harmless", `${token.expiresAt}`);
  new AnyResource(b, "any", { argument: through.asString, other: harmless.asString });
  const refused =
    /^[^[]*\[a\/web\] The token a\/web is used in another stack, through the local value through\..*reopenIn.*\[ERR_OTHER_STACK\][^[]*$/;
  expect(() => app.synth()).toThrow(refused);
});

describe.each([TokenResolution.EPHEMERAL, TokenResolution.DATA])(
  "a token of another stack (%s)",
  (resolution) => {
    const twoStacks = (): {
      readonly app: App;
      readonly a: TerraformStack;
      readonly b: TerraformStack;
    } => {
      const app = testApp();
      return { app, a: new TerraformStack(app, "a"), b: new TerraformStack(app, "b") };
    };

    test("is refused by its own stack, and no value is carried over", () => {
      const { app, a, b } = twoStacks();
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(
        /\[a\/web\] .*another stack, b, by b\/any\..*reopenIn.*\[ERR_OTHER_STACK\]/,
      );
      expect(a.dependencies).toEqual([]);
      expect(b.dependencies).toEqual([]);
      expect(Testing.synth(a)).not.toContain("cross-stack");
    });

    test("is refused by the stack that uses it, even if that is validated first and has no construct of ours", () => {
      const { app, a, b } = twoStacks();
      new AnyProvider(a, { token: tokenIn(b, resolution).value });

      expect(() => app.synth()).toThrow(
        /\[a\] The token b\/web is used in another stack, a, by a\/any\..*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused when cdktf would carry a local value there that holds it", () => {
      const { app, a, b } = twoStacks();
      const local = new TerraformLocal(a, "kept", { token: tokenIn(a, resolution).value });
      new AnyProvider(b, { token: new TerraformLocal(a, "again", local.expression).asString });

      expect(() => app.synth()).toThrow(
        // And not as an output of its own stack.
        /^[^[]*\[a\/web\] The token a\/web is used in another stack, through the local value again\. .*reopenIn.*\[ERR_OTHER_STACK\][^[]*$/,
      );
    });

    test.each(["", ".token", ".headers"])(
      "is refused when cdktf would carry a reference there that was written by hand: web%s",
      (attribute) => {
        const { app, a, b } = twoStacks();
        tokenIn(a, resolution);
        const type = resolution === TokenResolution.DATA ? "data.iam_token" : "ephemeral.iam_token";
        new AnyProvider(b, { token: ref(`${type}.web${attribute}`, a) });

        expect(() => app.synth()).toThrow(
          /\[a\/web\] .*another stack, by a reference written by hand\..*\[ERR_OTHER_STACK\]/,
        );
      },
    );

    test("a local value of the same stack without the token may go there", () => {
      const { app, a, b } = twoStacks();
      tokenIn(a, resolution);
      new AnyProvider(b, { region: new TerraformLocal(a, "kept", "north").asString });

      expect(() => app.synth()).not.toThrow();
    });

    test("is accepted once the other stack uses it no more, whichever is validated first", () => {
      const { app, a, b } = twoStacks();
      new AnyProvider(b, { token: tokenIn(a, resolution).value });
      new AnyProvider(a, { token: tokenIn(b, resolution).value });
      expect(() => app.synth()).toThrow("[ERR_OTHER_STACK]");

      for (const stack of [a, b]) stack.node.tryRemoveChild("any");
      app.synth();
    });

    test("of another app is called so", () => {
      const { app, b } = twoStacks();
      const foreign = new TerraformStack(testApp(), "b");
      new AnyProvider(b, { token: tokenIn(foreign, resolution).value });

      expect(() => app.synth()).toThrow(
        /The token b\/web is used in a stack of another app, b, by b\/any\..*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused when an aspect brings it there, at the latest when it would be written", () => {
      class UsesIt implements IAspect {
        constructor(
          private readonly stack: TerraformStack,
          private readonly value: string,
        ) {}

        visit(node: IConstruct): void {
          if (node === this.stack) new AnyResource(this.stack, "late", { argument: this.value });
        }
      }
      const { app, a, b } = twoStacks();
      Aspects.of(b).add(new UsesIt(b, tokenIn(a, resolution).value));

      expect(() => app.synth()).toThrow(
        /a\/web is used in another stack, b.*reopenIn.*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused by its dependency, its name is not", () => {
      const { app, a, b } = twoStacks();
      const token = tokenIn(a, resolution);
      new AnyResource(b, "name", { argument: token.headerName });
      expect(() => app.synth()).not.toThrow();

      new AnyResource(b, "r", {}, { dependsOn: [token] });
      expect(() => app.synth()).toThrow(/b\/r.*ERR_OTHER_STACK/);
    });

    test("of two stacks that need each other is a clear error, and no endless walk", () => {
      const { app, a, b } = twoStacks();
      b.addDependency(a);
      new AnyProvider(a, { token: tokenIn(b, resolution).value });
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(/ERR_OTHER_STACK/);
    });

    test("gets no warning about its place in the stack that uses it, only the error", () => {
      const { a, b } = twoStacks();
      new AnyResource(b, "own", { secret_wo: tokenIn(b, resolution).value });
      new AnyResource(b, "r", { secret: tokenIn(a, resolution).value });

      expect(mistakesOf(b)).toEqual([
        expect.stringMatching(/^\[b\] The token a\/web .* by b\/r\..*\[ERR_OTHER_STACK\]$/),
      ]);
      expect(annotationsOf(b, "warn").filter((text) => text.startsWith("b/r"))).toEqual([]);
    });

    test("is distinguished from one of the same name in the stack that uses it", () => {
      const { app, a, b } = twoStacks();
      new AnyResource(b, "own", { secret_wo: tokenIn(b, resolution).value });
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(/\[a\/web\] .* by b\/any\./);
    });
  },
);
