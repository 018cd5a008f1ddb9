import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { startCommand } from "../support/command";
import { blocksOf } from "../support/pages";
import { makeProject, type Project } from "../support/project";
import { terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";

const PAGE = "docs/signing-in.md";
const AUDIENCE = "https://cloud.api.example.com";
const APPLICATION_SECRET = "canary-application-credential-secret";

const identityProvider = (id: string) => ({
  id,
  audience: AUDIENCE,
  permission: { projects: ["web"] },
});
const config = {
  serviceUsers: [
    {
      name: "deployer",
      password: "canary-password-of-deployer",
      permission: { projects: ["web"] },
    },
  ],
  identityProviders: ["github", "gitlab", "cluster"].map(identityProvider),
  applicationCredentials: [
    {
      id: "5bd2c3e4f5a64b7c8d9e0f1a2b3c4d5e",
      user: "deployer",
      project: "web",
      secret: APPLICATION_SECRET,
    },
  ],
};

/** The recipes, by the id of their identity service; with the address of the scenario. */
function recipes({ identity, scratch }: Scenario): Readonly<Record<string, string>> {
  return Object.fromEntries(
    blocksOf(PAGE, "ts").map(({ text }) => [
      /new IdentityService\(this, "(\w+)"/.exec(text)?.[1] ?? "",
      text
        .replace(`authUrl: "${AUDIENCE}"`, `authUrl: "${identity.authUrl}"`)
        .replace("/var/run/identity", scratch.folder),
    ]),
  );
}

const [workflow, gitlab, pod] = blocksOf(PAGE, "yaml").map(({ text }) => parse(text));
const CALL = `curl -sf -H "$API_HEADER: $API" "$API_URL"`;

/** A project with a stack for each recipe, which uses a token of the project "web". */
function projectOf(stage: Scenario): Project {
  const stacks = Object.entries(recipes(stage)).map(([id, text]) => {
    const [, name = ""] = /const (\w+) = new IdentityService/.exec(text) ?? [];
    return `class Stack_${id} extends TerraformStack {
  constructor() {
    super(app, "${id}");
    ${text}
    const used = new ServiceUserToken(this, "used", { identity: ${name}, scope: TokenScope.project("web") });
    const environment = { ...used.environment("API"), API_URL: "${stage.api.url}/projects/web" };
    const provisioner = { type: "local-exec" as const, command: ${JSON.stringify(CALL)}, environment };
    new DataResource(this, "call", { provisioners: [provisioner] });
  }
}
new Stack_${id}();`;
  });
  return makeProject({
    app: `import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
const app = new App();
${stacks.join("\n")}
app.synth();`,
  });
}

/** A program that prints a secret if it gets the arguments of the page, and fails otherwise. */
function storeIn({ scratch }: Scenario): Record<string, string> {
  const folder = join(scratch.folder, "bin");
  mkdirSync(folder);
  const script = `[ "$*" = "read op://ci/deployer/password" ] && echo canary-password-of-deployer`;
  writeFileSync(join(folder, "op"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: [folder, process.env.PATH].join(delimiter) };
}

scenarios(
  PAGE,
  (stage) => {
    test("each recipe signs in, as its pipeline has it", async () => {
      const { identity, api, scratch, succeed } = stage();
      const token = (id: string, aud: string, expiresIn = 300) =>
        identity.oidcToken({ identityProvider: id, aud, expiresIn });
      const [variable = "", { aud = "" } = {}] =
        Object.entries<{ aud?: string }>(gitlab.deploy.id_tokens)[0] ?? [];
      const { projected } = pod.spec.volumes[0];
      const { path, audience } = projected.sources[0].serviceAccountToken;
      const file = join(scratch.folder, path);
      expect(pod.spec.containers[0].volumeMounts[0].mountPath).toBe("/var/run/identity");
      writeFileSync(file, token("cluster", audience, -60));
      const environments: Readonly<Record<string, Record<string, string>>> = {
        github: { ...identity.githubActions({ identityProvider: "github" }) },
        gitlab: { [variable]: token("gitlab", aud) },
        pod: {},
        ci: { OS_APPLICATION_CREDENTIAL_SECRET: APPLICATION_SECRET },
        deployer: { ...storeIn(stage()), IAM_TOKENS_ALLOWED_COMMANDS: "op" },
      };
      expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
      const project = projectOf(stage());
      try {
        expect((await synthesize(project)).text).toBe("");
        expect(Object.keys(recipes(stage()))).toEqual(Object.keys(environments));
        for (const [id, env] of Object.entries(environments)) {
          const folder = project.stackFolder(id);
          await succeed(folder, ["init"], env);
          if (id === "pod") {
            const { text } = await stage().terraform(folder, ["apply", "-auto-approve"], env);
            expect(text).toMatch(/expired/);
            // Kubernetes renews the file.
            writeFileSync(file, token("cluster", audience));
          }
          await succeed(folder, ["apply", "-auto-approve"], env);
        }
        const used = api.journal.map((call) => `${call.path} ${call.status}`);
        expect(used).toEqual(Object.keys(environments).map(() => "/projects/web 200"));
      } finally {
        project.remove();
      }

      async function synthesize({ folder }: Project) {
        const args = ["--import", "tsx", "main.ts"];
        const env = { ...scratch.env, TSX_DISABLE_CACHE: "1" };
        return startCommand(process.execPath, args, { cwd: folder, env }).finished;
      }
    });

    test("so does each of the blocks in plain HCL", async () => {
      const { identity, scratch } = stage();
      const blocks = blocksOf(PAGE, "hcl").map(({ text }) =>
        text.replace(/(auth_url +=) "[^"]*"/, `$1 "${identity.authUrl}"`),
      );
      const env = {
        ...identity.githubActions({ identityProvider: "github" }),
        ...storeIn(stage()),
        OS_APPLICATION_CREDENTIAL_SECRET: APPLICATION_SECRET,
      };
      for (const [index, block] of blocks.entries()) {
        const cwd = join(scratch.folder, `module-${index}`);
        mkdirSync(cwd);
        writeFileSync(join(cwd, "main.tf"), `${REQUIRED}${block}${TOKEN}`);
        const commands = `"${terraformBinary()}" init && "${terraformBinary()}" apply -auto-approve`;
        const result = await iamTokens(["run", "--", "sh", "-c", commands], { scratch, cwd, env });
        if (result.exitCode !== 0) throw new Error(result.text);
        expect(result.text).toContain('project = "iam_token_project_scoped"');
      }
      expect(identity.issuedTokens()).toHaveLength(blocks.length + 1);
    });
  },
  { config },
);

const REQUIRED = `terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
`;
const TOKEN = `
data "iam_token" "project" {
  scope        = "project"
  project_name = "web"
}
output "project" { value = data.iam_token.project.kind }
`;
