import type { TerraformStack } from "cdktf";
import { DataResource, dependable, TerraformOutput, TerraformVariable } from "cdktf";
import {
  type IAuthenticationToken,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenScope,
} from "../../lib";
import { ProductCall, ProductProvider } from "./product/constructs";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

/** Both kinds of token, restricted to a base address. */
const KINDS: readonly {
  readonly path: string;
  readonly declare: (
    stack: TerraformStack,
    stage: Scenario,
    baseUrl: string,
  ) => IAuthenticationToken;
}[] = [
  {
    path: "/account",
    declare: (stack, stage, baseUrl) =>
      new ServiceUserToken(stack, "token", {
        identity: identityIn(stack, stage, { baseUrl }),
        scope: TokenScope.account(),
      }),
  },
  {
    path: "/dns",
    declare: (stack, _stage, baseUrl) =>
      new StaticTokenRef(stack, "token", { source: SecretRef.env("STATIC_TOKEN"), baseUrl }),
  },
];

scenarios(
  "a token for an address under the base address",
  (stage) => {
    describe.each(KINDS)("($path)", ({ path, declare }) => {
      /**
       * A consumer of the token at an address that is made of a resource's attribute: known only
       * when that is applied.
       */
      const withLateAddress = (baseUrl: string, waiting: boolean): string => {
        const app = stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const place = new DataResource(stack, "place", {
              input: { content: stage().api.url } as never,
            });
            const address = `\${${place.fqn}.output.content}`;
            const token = declare(stack, stage(), baseUrl);
            const provider = new ProductProvider(stack, "api", {
              url: stage().api.url,
              headers: token.headersFor(`${address}${path}`),
            });
            const call = new ProductCall(stack, "call", path, provider);
            if (waiting) call.dependsOn = [dependable(place)];
            new TerraformOutput(stack, "status", { value: call.status });
          });
        });
        const folder = app.stackFolder("main");
        return folder;
      };

      test("which is a literal elsewhere, is refused when the program is synthesized", () => {
        const build = (): unknown =>
          stage().synth((root) => {
            new StackOf(root, "main", (stack) => {
              const token = declare(stack, stage(), "https://api.example.com");
              new ProductProvider(stack, "api", {
                url: stage().api.url,
                headers: token.headersFor("https://api.example.com.evil/x"),
              });
            });
          });
        expect(build).toThrow(
          /https:\/\/api\.example\.com\.evil\/x is outside the base .*\[ERR_DESTINATION_REFUSED\]/,
        );
      });

      test("which a variable gives, is checked at plan", async () => {
        const app = stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const url = new TerraformVariable(stack, "url", {});
            const token = declare(stack, stage(), stage().api.url);
            const headers = token.headersFor(url.stringValue);
            const provider = new ProductProvider(stack, "api", { url: stage().api.url, headers });
            new TerraformOutput(stack, "status", {
              value: new ProductCall(stack, "call", path, provider).status,
            });
          });
        });
        const folder = app.stackFolder("main");
        await stage().succeed(folder, ["init"]);
        const planned = await stage().terraform(folder, [
          "plan",
          "-var",
          `url=${stage().api.url}.evil/x`,
        ]);
        expect(planned.exitCode).toBe(1);
        expect(planned.text).toMatch(/ERR_(DESTINATION_REFUSED|ADDRESS_INVALID)/);
        const elsewhere = await stage().terraform(folder, [
          "plan",
          "-var",
          "url=https://evil.example/x",
        ]);
        expect(elsewhere.exitCode).toBe(1);
        expect(elsewhere.text).toContain("ERR_DESTINATION_REFUSED");
        // The token's own object is opened too, and is for any address; nothing else is handed out,
        // and nobody is called.
        expect(stage().api.journal).toEqual([]);
        const right = await stage().succeed(folder, [
          "plan",
          "-var",
          `url=${stage().api.url}${path}`,
        ]);
        expect(right.text).toMatch(/status *= *200/);
      });

      test("which is known only at apply, is unknown to the consumer at plan, and known at apply", async () => {
        const folder = withLateAddress(stage().api.url, true);
        await stage().succeed(folder, ["init"]);
        const planned = await stage().succeed(folder, ["plan"]);
        expect(planned.text).toMatch(/status *= *\(known after apply\)/);
        expect(stage().api.journal).toEqual([]);
        await stage().succeed(folder, ["apply", "-auto-approve"]);
        expect(stage().api.journal.map(({ path: called, status }) => [called, status])).toEqual([
          [path, 200],
        ]);
        expect((await stage().succeed(folder, ["plan"])).text).toContain("No changes");
      });

      test("which is known only at apply, leaves a consumer that does not wait for it unauthenticated at plan", async () => {
        const folder = withLateAddress(stage().api.url, false);
        await stage().succeed(folder, ["init"]);
        await stage().succeed(folder, ["plan"]);
        expect(stage().api.journal.map(({ status }) => status)).toEqual([401]);
      });

      test("which proves at apply to be elsewhere, is refused then", async () => {
        const folder = withLateAddress("https://api.example.com", true);
        await stage().succeed(folder, ["init"]);
        await stage().succeed(folder, ["plan"]);
        const applied = await stage().terraform(folder, ["apply", "-auto-approve"]);
        expect(applied.exitCode).toBe(1);
        expect(applied.text).toContain("ERR_DESTINATION_REFUSED");
        expect(applied.text.replace(/[\s│]+/g, " ")).toContain(
          "is outside the base address https://api.example.com/: the scheme differs",
        );
        expect(stage().api.journal).toEqual([]);
      });
    });
  },
  { consumers: true },
);
