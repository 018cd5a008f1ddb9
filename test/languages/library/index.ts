import type { TerraformStack } from "cdktf";
import {
  type IAuthenticationToken,
  type IdentityService,
  ServiceUserToken,
  TokenScope,
} from "cdktf-iam-tokens";
import { Construct } from "constructs";

/** Of a {@link Deployer}. */
export interface DeployerProps {
  /** The service that issues its token. */
  readonly identity: IdentityService;
  /**
   * The scope of the token.
   *
   * @default - the account
   */
  readonly scope?: TokenScope;
}

/** A construct of another library, with our types in its interface. */
export class Deployer extends Construct {
  /** The token. */
  readonly token: ServiceUserToken;

  constructor(stack: TerraformStack, id: string, props: DeployerProps) {
    super(stack, id);
    const { identity, scope = TokenScope.account() } = props;
    this.token = new ServiceUserToken(this, "token", { identity, scope });
  }

  /** The variables of a command. */
  variablesFor(token: IAuthenticationToken): { [name: string]: string } {
    return token.environment("DEPLOYER");
  }
}
