import type { TerraformStack } from "cdktf";
import { DataResource, dependable, TerraformOutput } from "cdktf";
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
    destination: string,
  ) => IAuthenticationToken;
}[] = [
  {
    path: "/account",
    declare: (stack, stage, baseUrl, destination) =>
      new ServiceUserToken(stack, "token", {
        identity: identityIn(stack, stage, { baseUrl }),
        scope: TokenScope.account(),
        destinations: [destination],
      }),
  },
  {
    path: "/dns",
    declare: (stack, _stage, baseUrl, destination) =>
      new StaticTokenRef(stack, "token", {
        source: SecretRef.env("STATIC_TOKEN"),
        baseUrl,
        destinations: [destination],
      }),
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
      const withLateAddress = (baseUrl: string): string => {
        const app = stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const place = new DataResource(stack, "place", {
              input: { content: stage().api.url } as never,
            });
            const address = `\${${place.fqn}.output.content}`;
            const token = declare(stack, stage(), baseUrl, `${address}${path}`);
            const provider = new ProductProvider(stack, "api", {
              url: stage().api.url,
              headers: token.headers,
            });
            const call = new ProductCall(stack, "call", path, provider);
            call.dependsOn = [dependable(place)];
            new TerraformOutput(stack, "status", { value: call.status });
          });
        });
        const folder = app.stackFolder("main");
        return folder;
      };

      test("which is known only at apply, is unknown to the consumer at plan, and known at apply", async () => {
        const folder = withLateAddress(stage().api.url);
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

      test("which proves at apply to be elsewhere, is refused then", async () => {
        const folder = withLateAddress("https://api.example.com");
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
