import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IdentityService, type IdentityServiceProps, SecretRef } from "../../lib";
import { ACCOUNT, type Scenario } from "./scenario";

/** A stack that is built by a function: each scenario contains only its own constructs. */
export class StackOf extends TerraformStack {
  constructor(scope: Construct, id: string, build: (stack: TerraformStack) => void) {
    super(scope, id);
    build(this);
  }
}

/** The identity service of a scenario, as a user declares it. */
export function identityIn(
  scope: Construct,
  { identity }: Scenario,
  props: Partial<IdentityServiceProps> = {},
  id = "identity",
): IdentityService {
  return new IdentityService(scope, id, {
    authUrl: identity.authUrl,
    accountId: ACCOUNT,
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    ...props,
  });
}
