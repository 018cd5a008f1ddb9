/**
 * A token as outputs, for later steps of a pipeline: `node --import tsx
 * examples/pipeline-outputs/main.ts`.
 */
import { readFileSync, rmSync } from "node:fs";
import { App, TerraformStack } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";
import { expectThat, playExample } from "../demo/example";

/** DATA: the token stands in the state, and everyone who can read the state has it. */
function declareStack(app: App, authUrl: string): void {
  const stack = new TerraformStack(app, "pipeline");
  const identity = new IdentityService(stack, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const scope = TokenScope.project("web");
  const token = new ServiceUserToken(stack, "web", {
    identity,
    scope,
    resolution: TokenResolution.DATA,
  });
  new TokenOutputs(stack, "ci", { token });
}

playExample(
  "A token as outputs, for the steps of a pipeline that come after",
  async ({ steps, identity, api, project }) => {
    const app = new App();
    declareStack(app, identity.authUrl);
    app.synth();
    await steps.run("cdktf deploy", () =>
      project.cdktf("deploy", "pipeline", "--skip-synth", "--auto-approve"),
    );

    const inTerraform = await steps.run("terraform output -json", async () => {
      const printed = await project.terraform(project.stackFolder("pipeline"), ["output", "-json"]);
      const outputs = JSON.parse(printed) as Record<
        string,
        { readonly value: string; readonly sensitive: boolean }
      >;
      for (const [name, { value, sensitive }] of Object.entries(outputs)) {
        if (name !== "ci_expires_at")
          steps.detail(`${name} = ${sensitive ? "(sensitive)" : value}`);
      }
      return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
    });
    const inCdktf = await steps.run(
      "cdktf output --outputs-file-include-sensitive-outputs",
      async () => {
        const file = ["--outputs-file", "outputs.json", "--outputs-file-include-sensitive-outputs"];
        await project.cdktf("output", "pipeline", "--skip-synth", ...file);
        const outputs = JSON.parse(readFileSync("outputs.json", "utf8")) as {
          pipeline: Record<string, string>;
        };
        rmSync("outputs.json");
        return outputs.pipeline;
      },
    );
    const names = ["ci_header_name", "ci_value", "ci_expires_at"];
    expectThat(
      names.every((name) => inTerraform[name] !== "" && inTerraform[name] === inCdktf[name]),
      "both print the same",
    );

    await steps.run("the next step of the pipeline calls the product API", async () => {
      const { ci_header_name: header = "", ci_value: token = "" } = inTerraform;
      const { status } = await fetch(`${api.url}/projects/web`, { headers: { [header]: token } });
      steps.detail(`/projects/web ${header} ${status}`);
      expectThat(status === 200, "the product API takes the token");
    });
  },
);
