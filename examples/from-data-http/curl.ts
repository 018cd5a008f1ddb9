// Before: get-token.sh has put the token into a variable.
import { App, DataResource, TerraformStack, TerraformVariable } from "cdktf";

const app = new App();
const stack = new TerraformStack(app, "call");
const token = new TerraformVariable(stack, "token", { type: "string", sensitive: true });

new DataResource(stack, "call", {
  provisioners: [
    {
      type: "local-exec",
      command: `printf "X-Auth-Token: %s" "$API" | curl -sf -H @- ${process.env.API_URL}`,
      environment: { API: token.value },
    },
  ],
});
app.synth();
