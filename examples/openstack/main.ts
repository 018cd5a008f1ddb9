import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import { ObjectstorageContainerV1 } from "./.gen/providers/openstack/objectstorage-container-v1";
import { OpenstackProvider } from "./.gen/providers/openstack/provider";

const accountId = "123456";
const project = "web";

const app = new App();
const stack = new TerraformStack(app, "web");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId,
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "token", {
  identity,
  scope: TokenScope.project(project),
});

// No user and no password here. The provider exchanges the token for one of the same project, so it
// needs the project and its domain, which is the account.
new OpenstackProvider(stack, "openstack", {
  authUrl: identity.keystoneUrl,
  token: token.value,
  tenantName: project,
  projectDomainName: accountId,
});
new ObjectstorageContainerV1(stack, "backups", { name: "backups" });

app.synth();
