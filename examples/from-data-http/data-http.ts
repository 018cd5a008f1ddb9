// Before: a data source requests the token. The password and the token are in the state.
import { App, DataResource, Fn, TerraformStack, TerraformVariable } from "cdktf";
import { DataHttp } from "./.gen/providers/http/data-http";
import { HttpProvider } from "./.gen/providers/http/provider";

const app = new App();
const stack = new TerraformStack(app, "call");
const password = new TerraformVariable(stack, "password", { type: "string", sensitive: true });
new HttpProvider(stack, "http");
const domain = { name: "123456" };
const login = new DataHttp(stack, "login", {
  url: `${process.env.AUTH_URL}/identity/v3/auth/tokens`,
  method: "POST",
  requestHeaders: { "Content-Type": "application/json" },
  requestBody: Fn.jsonencode({
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { name: "deployer", domain, password: password.value } },
      },
      scope: { project: { name: "web", domain } },
    },
  }),
});
login.addOverride("lifecycle.postcondition", {
  condition: "${self.status_code == 201}",
  error_message: "No token was issued.",
});
const token = Fn.lookup(login.responseHeaders, "X-Subject-Token");

new DataResource(stack, "call", {
  provisioners: [
    {
      type: "local-exec",
      command: `printf "X-Auth-Token: %s" "$API" | curl -sf -H @- ${process.env.API_URL}`,
      environment: { API: token },
    },
  ],
});
app.synth();
