import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_CALL } from "../../../examples/demo/api-call";
import { iamTokens, socketFolders } from "../../scenarios/run-support";
import { type Scenario, scenarios } from "../../scenarios/scenario";
import { commandLine, runCdktf } from "../../support/framework";
import { makeProject } from "../../support/project";

/**
 * A configuration of Terraform's command line, as a company has it: it knows nothing of the
 * embedded provider.
 */
function corporateConfiguration({ scratch }: Scenario): Readonly<Record<string, string>> {
  const [file, mirror] = [join(scratch.home, "corporate.tfrc"), join(scratch.home, "mirror")];
  mkdirSync(mirror, { recursive: true });
  writeFileSync(
    file,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`,
  );
  return { TF_CLI_CONFIG_FILE: file };
}

scenarios("three stacks that share one credential, under the cdktf command line,", (stage) => {
  test("are deployed at once, and their outputs have their own names", async () => {
    const project = makeProject({ app: sharingApp(stage()) });
    try {
      const run = async (...args: string[]) => {
        const result = await runCdktf(project.folder, args, {
          scratch: stage().scratch,
          env: stage().secrets,
        });
        if (result.exitCode !== 0)
          throw new Error(`cdktf ${args[0]} ended with ${result.exitCode}:\n${result.text}`);
        return result.text;
      };
      await run("deploy", "first", "second", "third", "--auto-approve");
      const printed = await run("output", "second", "--outputs-file", "outputs.json");
      expect(printed).toMatch(/ci_header_name = X-Auth-Token/);
      expect(printed).toMatch(/ci_value = <sensitive>/);
      const outputs = JSON.parse(
        readFileSync(join(project.folder, "outputs.json"), "utf8"),
      ) as Record<string, object>;
      expect(outputs.second).toEqual({
        ci_header_name: "X-Auth-Token",
        ci_expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    } finally {
      project.remove();
    }
  }, 240_000);

  test("make one request under iam-tokens run, offline, with a configuration that does not mention the provider", async () => {
    const project = makeProject({ app: pipelineApp(stage()) });
    try {
      const env = { CI: "true", ...stage().secrets, ...corporateConfiguration(stage()) };
      const { exitCode, stderr, text } = await iamTokens(
        ["run", "--", ...commandLine(), "deploy", "*", "--auto-approve"],
        { scratch: stage().scratch, cwd: project.folder, env },
      );
      if (exitCode !== 0) throw new Error(text);
      expect(stage().requests()).toBe(1);
      expect(stderr).toMatch(/iam-tokens: 1 service user, 1 scope, 6 uses of tokens, 1 request /);
      expect(socketFolders(stage().scratch)).toEqual([]);
    } finally {
      project.remove();
    }
  }, 240_000);
});

/**
 * A user's app: a token of the first stack, in three; the second one also hands it to the pipeline.
 */
function sharingApp({ identity, api }: Scenario): string {
  return `
import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenScope } from "cdktf-iam-tokens";

const app = new App();
const [first, second, third] = ["first", "second", "third"].map((id) => new TerraformStack(app, id));
const identity = new IdentityService(first, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(first, "account", { identity, scope: TokenScope.account() });
for (const stack of [first, second, third]) {
  new DataResource(stack, "hook", {
    provisioners: [{
      type: "local-exec",
      command: ${JSON.stringify(API_CALL)},
      environment: { ...token.reopenIn(stack).environment("API"), API_URL: "${api.url}/account" },
    }],
  });
}
const shared = new ServiceUserToken(first, "shared", { identity, scope: TokenScope.account(), resolution: TokenResolution.DATA });
new TokenOutputs(second, "ci", { token: shared.reopenIn(second) });
app.synth();
`;
}

/** A user's app: three stacks, each with an identity service of its own for the same credential. */
function pipelineApp({ identity }: Scenario): string {
  return `
import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";

const app = new App();
for (let index = 1; index <= 3; index++) {
  const stack = new TerraformStack(app, "stack-" + index);
  const identity = new IdentityService(stack, "identity", {
    authUrl: "${identity.authUrl}",
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const token = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });
  new DataResource(stack, "hook", {
    provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
  });
}
app.synth();
`;
}
