/** A token that rotates in place: `node --import tsx examples/rotation/main.ts`. */
import { App } from "cdktf";
import { expectThat, playExample } from "../demo/example";
import { declareStack } from "./rotation-stack";

playExample("A token that rotates in place", async ({ steps, identity, api, project }) => {
  const deploy = async (release: string): Promise<string> => {
    const app = new App();
    declareStack(app, { authUrl: identity.authUrl, release });
    app.synth();
    await project.cdktf("deploy", "rotating", "--skip-synth", "--auto-approve");
    const outputs = await project.terraform(project.stackFolder("rotating"), ["output", "-json"]);
    return (JSON.parse(outputs) as { readonly ci_value: { readonly value: string } }).ci_value
      .value;
  };
  const call = async (token: string): Promise<number> =>
    (await fetch(`${api.url}/projects/web`, { headers: { "X-Auth-Token": token } })).status;

  const first = await steps.run("cdktf deploy", () => deploy("1"));
  const same = await steps.run("cdktf deploy: nothing is due", () => deploy("1"));
  expectThat(
    same === first && identity.issuedTokens().length === 1,
    "one token was issued, and it stays",
  );

  const second = await steps.run("cdktf deploy: another release rotates it", () => deploy("2"));
  expectThat(second !== first && identity.issuedTokens().length === 2, "one more token was issued");

  await steps.run("whoever has the old token has time to take the new one", async () => {
    for (const [name, token] of Object.entries({ old: first, new: second })) {
      const status = await call(token);
      steps.detail(`with the ${name} token: ${status}`);
      expectThat(status === 200, `the product API takes the ${name} token`);
    }
  });
});
