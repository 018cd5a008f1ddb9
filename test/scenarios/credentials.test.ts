import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TerraformVariable } from "cdktf";
import { IdentityService, SecretRef, StaticTokenRef, TokenScope } from "../../lib";
import { terraformBinary } from "../support/terraform";
import { type Build, identityIn, type Scenario, scenarios, webToken } from "./world";

afterEach(() => void jest.restoreAllMocks());

/** A project with its files, synthesized as by the command line of CDKTF: from its folder. */
function projectOf(stage: Scenario, files: Readonly<Record<string, string>>, build: Build): string {
  const folder = join(stage.scratch.home, "project");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  jest.spyOn(process, "cwd").mockReturnValue(folder);
  return stage.stack(build, "main", join(folder, "cdktf.out"));
}

const cloudsYaml = ({ identity, password }: Scenario): string => `clouds:
  prod:
    auth:
      auth_url: ${identity.authUrl}/identity/v3
      username: deployer
      password: ${password}
      user_domain_name: 123456
      project_name: web
`;

// docs/credentials.md: A relative path starts from the project.
scenarios("secrets by reference", (stage) => {
  const statuses = () => new Set(stage().identity.journal.map(({ status }) => status));

  test("relative files are the project's, also for a provider that was started elsewhere, and nothing else has what is in them", async () => {
    const files = {
      "secrets/password": `${stage().password}\n`,
      "secrets/static": stage().staticToken,
      "clouds.yaml": cloudsYaml(stage()),
    };
    const folder = projectOf(stage(), files, (stack) => {
      const serviceUser = { name: "deployer", password: SecretRef.file("secrets/password") };
      webToken(stack, stage(), { identity: identityIn(stack, stage(), { serviceUser }) });
      const cloud = new IdentityService(stack, "cloud", { cloud: "prod" });
      webToken(stack, stage(), { id: "by-cloud", identity: cloud, scope: TokenScope.account() });
      new StaticTokenRef(stack, "dns", { source: SecretRef.file("secrets/static") });
      const printed = SecretRef.command(["/bin/cat", join(process.cwd(), "secrets/static")]);
      new StaticTokenRef(stack, "printed", { source: printed });
    });
    const commands = ["init", "plan -out=saved", "apply saved"];
    const texts = await stage().trace(folder, commands, {});

    const plan = [terraformBinary(), `-chdir=${folder}`, "plan"];
    const env = stage().scratch.env;
    expect((await stage().cli(["run", "--", ...plan], { env })).exitCode).toBe(0);
    expect(statuses()).toEqual(new Set([201]));
    expect(stage().leaks(texts)).toEqual([
      "password: clouds.yaml",
      "password: password",
      "static token: static",
    ]);
  });

  test("a password from an ephemeral variable, a declared one or another ephemeral resource is in no saved plan; names may be variables", async () => {
    const folder = stage().stack((stack) => {
      const variable = (name: string, more = {}) =>
        new TerraformVariable(stack, name, { type: "string", ...more });
      const password = variable("password", { sensitive: true });
      password.addOverride("ephemeral", true);
      const source = SecretRef.env("SERVICE_USER_PASSWORD");
      const store = new StaticTokenRef(stack, "store", { source });
      const accountId = variable("account").stringValue;
      const scope = TokenScope.project(variable("project").stringValue);
      for (const [id, secret] of Object.entries({
        variable: SecretRef.fromTerraform(password.stringValue),
        resource: SecretRef.fromTerraform(store.value),
        declared: SecretRef.variable("declared"),
      })) {
        const serviceUser = { name: "deployer", password: secret };
        const identity = identityIn(stack, stage(), { accountId, serviceUser }, id);
        webToken(stack, stage(), { id: `of-${id}`, identity, scope });
      }
    });
    const names = { TF_VAR_account: "123456", TF_VAR_project: "web" };
    const { password, secrets } = stage();
    const env = { ...secrets, ...names, TF_VAR_password: password, TF_VAR_declared: password };
    const texts = await stage().trace(folder, ["init", "plan -out=saved", "apply saved"], env);
    expect(statuses()).toEqual(new Set([201]));
    expect(stage().leaks(texts)).toEqual([]);
  });
});
