import {
  App,
  DefaultTokenResolver,
  StringConcat,
  TerraformStack,
  Testing,
  Tokenization,
} from "cdktf";
import { Construct } from "constructs";
import type { IAuthenticationToken } from "../../lib/constructs/authentication-token";
import { DeclaredToken } from "../../lib/constructs/declared-token";
import type { MayManage } from "../../lib/constructs/may-manage";
import type { ProductArea } from "../../lib/constructs/product-area";
import { Mistakes } from "../../lib/constructs/props/mistakes";
import { TokenKind } from "../../lib/constructs/token-kind";
import { TokenResolution } from "../../lib/constructs/token-resolution";

class AnyToken extends Construct implements IAuthenticationToken {
  readonly kind = TokenKind.STATIC_TOKEN;
  readonly headerName = "X-Token";
  readonly declared: DeclaredToken;

  constructor(
    scope: Construct,
    id: string,
    readonly resolution: TokenResolution,
  ) {
    super(scope, id);
    this.declared = new DeclaredToken(this, {
      blockType: "iam_static_token",
      resolution,
      mistakes: new Mistakes(),
      arguments: () => ({ env: "STATIC_TOKEN", destinations: ["https://one.example.com"] }),
    });
  }

  mayManage(area: ProductArea): MayManage {
    return this.declared.mayManage(area);
  }

  assertMayManage(area: ProductArea): void {
    this.declared.assertMayManage(area);
  }

  get fqn(): string {
    return this.declared.fqn;
  }

  get value(): string {
    return this.declared.attribute("token");
  }

  environment(name: string): { [name: string]: string } {
    return this.declared.environment(name);
  }

  get headers(): { [name: string]: string } {
    return this.declared.headers;
  }

  headersFor(url: string): { [name: string]: string } {
    return this.declared.forDestination(url).headers;
  }

  valueFor(url: string): string {
    return this.declared.forDestination(url).value;
  }
}

const resolve = (scope: Construct, value: unknown): unknown =>
  Tokenization.resolve(value, {
    scope,
    resolver: new DefaultTokenResolver(new StringConcat()),
    preparing: false,
  });

describe.each([TokenResolution.EPHEMERAL, TokenResolution.DATA])(
  "a further object of a token (%s)",
  (resolution) => {
    it("has the token's arguments with its own laid over, a name of its own, and leaves the token's object as it is", () => {
      const stack = new TerraformStack(new App({ skipValidation: true }), "stack");
      const token = new AnyToken(stack, "dns", resolution);
      const other = token.declared.also("other", { destinations: ["https://two.example.com"] });

      const synthesized = JSON.parse(Testing.synth(stack, false)) as Record<
        string,
        Record<string, Record<string, object>>
      >;
      const blocks = synthesized[resolution]?.iam_static_token ?? {};

      const name = Object.keys(blocks).find((key) => key !== "dns") ?? "";
      expect(blocks.dns).toMatchObject({ destinations: ["https://one.example.com"] });
      expect(blocks[name]).toMatchObject({
        env: "STATIC_TOKEN",
        destinations: ["https://two.example.com"],
      });
      expect(name).toMatch(/^dns_other_/);
      expect(resolve(stack, other.value)).toBe(`\${${resolution}.iam_static_token.${name}.token}`);
      expect(resolve(stack, other.headers)).toEqual({
        "X-Token": `\${${resolution}.iam_static_token.${name}.token}`,
      });
      expect(resolve(stack, token.value)).toBe(`\${${resolution}.iam_static_token.dns.token}`);
    });

    it("is declared once for an id", () => {
      const stack = new TerraformStack(new App({ skipValidation: true }), "stack");
      const token = new AnyToken(stack, "dns", resolution);

      expect(token.declared.also("other", {})).toBe(token.declared.also("other", {}));
    });
  },
);
