import { DataResource, TerraformStack } from "cdktf";
import {
  IdentityService,
  type IdentityServiceProps,
  ServiceUserToken,
  TokenScope,
} from "cdktf-iam-tokens";
import type { Construct } from "constructs";

/**
 * A stack as a user has one: the identity service, and how to sign in to it, are parameters, which
 * lets a test give its own.
 */
export class MyStack extends TerraformStack {
  readonly identity: IdentityService;
  readonly web: ServiceUserToken;

  constructor(scope: Construct, id: string, options: Omit<IdentityServiceProps, "accountId">) {
    super(scope, id);
    this.identity = new IdentityService(this, "identity", { ...options, accountId: "123456" });
    this.web = new ServiceUserToken(this, "web", {
      identity: this.identity,
      scope: TokenScope.project("web"),
    });
    new DataResource(this, "use", {
      provisioners: [
        { type: "local-exec", command: 'test -n "$API"', environment: this.web.environment("API") },
      ],
    });
  }
}
