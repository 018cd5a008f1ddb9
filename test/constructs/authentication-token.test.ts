import {
  App,
  DefaultTokenResolver,
  StringConcat,
  TerraformStack,
  Testing,
  Tokenization,
} from "cdktf";
import type { Construct } from "constructs";
import { AuthenticationToken } from "../../lib/constructs/authentication-token";
import { UNRESTRICTED } from "../../lib/constructs/props/destinations";
import { TokenKind } from "../../lib/constructs/values/token-kind";
import { TokenResolution } from "../../lib/constructs/values/token-resolution";

class AnyToken extends AuthenticationToken {
  constructor(scope: Construct, id: string, resolution: TokenResolution) {
    super(scope, id, () => ({
      kind: TokenKind.STATIC_TOKEN,
      blockType: "iam_static_token",
      resolution,
      allowInState: false,
      baseUrl: UNRESTRICTED,
      arguments: () => ({ env: "STATIC_TOKEN", destinations: ["https://one.example.com"] }),
    }));
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
    it("has the token's arguments, overridden by its own, a separate name, and leaves the token's object unchanged", () => {
      const stack = new TerraformStack(new App({ skipValidation: true }), "stack");
      const token = new AnyToken(stack, "dns", resolution);
      const other = token._also("other", { destinations: ["https://two.example.com"] });

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

      expect(token._also("other", {})).toBe(token._also("other", {}));
    });
  },
);
