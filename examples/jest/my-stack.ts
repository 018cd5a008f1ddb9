import { DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import type { Construct } from "constructs";

/**
 * A stack as a user has one: the address of the identity service is a parameter, which lets a test
 * give its own.
 */
export class MyStack extends TerraformStack {
  constructor(scope: Construct, id: string, { authUrl }: { readonly authUrl: string }) {
    super(scope, id);
    const identity = new IdentityService(this, "identity", {
      authUrl,
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
    new DataResource(this, "use", {
      provisioners: [
        { type: "local-exec", command: 'test -n "$API"', environment: web.environment("API") },
      ],
    });
  }
}
