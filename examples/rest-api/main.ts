import { App, Fn, TerraformStack } from "cdktf";
import {
  IdentityService,
  ProductArea,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenScope,
} from "cdktf-iam-tokens";
import { ObjectResource } from "./.gen/providers/restapi/object-resource";
import { RestapiProvider } from "./.gen/providers/restapi/provider";

const baseUrl = process.env.API_URL ?? "https://api.example.com";

const app = new App();
const stack = new TerraformStack(app, "products");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  baseUrl, // no token is sent to another address
});
const account = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });
const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
const fixed = new StaticTokenRef(stack, "fixed", {
  source: SecretRef.env("STATIC_TOKEN"),
  baseUrl,
});

// Each product area takes its own kind of token, in the header of that kind.
const apis = [
  { id: "users", area: ProductArea.IAM, token: account, object: { name: "reader" } },
  { id: "databases", area: ProductArea.CLOUD_DATABASES, token: web, object: { name: "orders" } },
  { id: "zones", area: ProductArea.DNS_HOSTING, token: fixed, object: { name: "example.com" } },
];
for (const { id, area, token, object } of apis) {
  token.assertMayManage(area);
  const uri = `${baseUrl}/${id}`;
  const headers = token.headersFor(uri);
  const provider = new RestapiProvider(stack, `${id}-api`, { alias: id, uri, headers });
  new ObjectResource(stack, id, { provider, path: "/objects", data: Fn.jsonencode(object) });
}

app.synth();
