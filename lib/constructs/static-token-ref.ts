import type { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/schema/names";
import { AuthenticationToken } from "./authentication-token";
import { Mistakes } from "./checks/mistakes";
import { checkFlag, checkProps } from "./checks/props";
import { checkSecret } from "./checks/secret";
import { secretArguments, secretMistakes } from "./elements/secret-arguments";
import { EmbeddedProvider } from "./embedded-provider";
import type { SecretRef } from "./secret-ref";
import { TokenKind } from "./token-kind";
import { TokenResolution } from "./token-resolution";

/** What a {@link StaticTokenRef} is made from. */
export interface StaticTokenRefProps {
  /** Where the token comes from. */
  readonly source: SecretRef;
  /**
   * How the token reaches what uses it. `TokenResolution.DATA` needs `acceptStaticTokenInState`.
   *
   * @default TokenResolution.EPHEMERAL
   */
  readonly resolution?: TokenResolution;
  /**
   * Accept that by `TokenResolution.DATA` the token stands in the plan and in every version of the state: full access that never
   * ends.
   *
   * @default false
   */
  readonly acceptStaticTokenInState?: boolean;
}

const KNOWN = ["source", "resolution", "acceptStaticTokenInState"];

/**
 * A static token: made in the control panel (Account menu, Access, tab API keys), without expiry, sent in `X-Token`. It is looked
 * up when Terraform needs it. It has no time of issue or expiry, and no fingerprint: its strength is not known, so that a digest
 * could be guessed.
 *
 * Wrong properties are reported when the program is synthesized, all at once: ERR_SECRET_LITERAL, ERR_STATIC_TOKEN_IN_STATE,
 * ERR_PROP_INVALID, ERR_NAME_TAKEN, ERR_OTHER_STACK, ERR_TERRAFORM_TOO_OLD, ERR_HCL_OUTPUT.
 *
 * @see spec, "Static token issuing"
 * @example
 * const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });
 * new RestapiProvider(this, "api", { uri: "https://api.example.com", headers: dns.headers });
 */
export class StaticTokenRef extends AuthenticationToken {
  constructor(scope: Construct, id: string, props: StaticTokenRefProps) {
    const mistakes = new Mistakes();
    const given = checkProps(props, KNOWN, mistakes);
    const source = checkSecret("source", given.source, mistakes);
    const accepted = checkFlag("acceptStaticTokenInState", given.acceptStaticTokenInState, mistakes);
    const byData = given.resolution === TokenResolution.DATA;
    if (byData && accepted !== true) {
      mistakes.add(
        "ERR_STATIC_TOKEN_IN_STATE",
        "A static token by resolution: data stands in plan and state: full access that never ends.",
      );
    }
    super(scope, id, {
      blockType: IAM_STATIC_TOKEN,
      kind: TokenKind.STATIC_TOKEN,
      resolution: given.resolution,
      mistakes,
      lateMistakes: () => secretMistakes("source", source, this),
      arguments: () => ({
        ...secretArguments(
          source,
          { env: "env", file: "file", value: "value" },
          process.cwd(),
          EmbeddedProvider.of(this)._stackFolder,
        ),
        accept_in_state: byData && accepted === true ? true : undefined,
      }),
    });
  }
}
