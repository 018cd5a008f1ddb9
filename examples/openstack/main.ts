import { App, TerraformStack } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";
import { ObjectstorageContainerV1 } from "./.gen/providers/openstack/objectstorage-container-v1";
import { OpenstackProvider } from "./.gen/providers/openstack/provider";

const app = new App();
const stack = new TerraformStack(app, "web");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "token", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.ephemeral({ revokeOnClose: true }),
});

// No user, no password, no project and no domain here: the provider uses the token as it is. With a
// project, it would exchange the token for one of its own, which nothing revokes.
new OpenstackProvider(stack, "openstack", {
  authUrl: identity.keystoneUrl,
  token: token.value,
  allowReauth: false,
});
new ObjectstorageContainerV1(stack, "backups", { name: "backups" });

app.synth();
