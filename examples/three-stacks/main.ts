import { App, DataResource, TerraformStack } from "cdktf";
import {
  type IAuthenticationToken,
  IdentityService,
  SecretRef,
  ServiceUserToken,
  TokenScope,
} from "cdktf-iam-tokens";

const authUrl = process.env.AUTH_URL ?? "http://127.0.0.1:35357";
const apiUrl = process.env.API_URL ?? `${authUrl}/echo`;

/** Each stack calls the API once. */
function call(stack: TerraformStack, token: IAuthenticationToken): void {
  new DataResource(stack, "call", {
    provisioners: [
      {
        type: "local-exec",
        command: 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- "$API_URL"',
        environment: { ...token.environment("API"), API_URL: `${apiUrl}/${stack.node.id}` },
      },
    ],
  });
}

const app = new App();
const network = new TerraformStack(app, "network");
const identity = new IdentityService(network, "identity", {
  authUrl,
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const account = new ServiceUserToken(network, "account", { identity, scope: TokenScope.account() });
call(network, account);

// The same declaration in another stack: nothing goes through a state, and no stack waits for
// another.
for (const id of ["shop", "audit"]) {
  const stack = new TerraformStack(app, id);
  call(stack, account.reopenIn(stack));
}

app.synth();
