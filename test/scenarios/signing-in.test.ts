import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { startCommand } from "../support/command";
import { blocksOf, readPage } from "../support/pages";
import { makeProject, type Project } from "../support/project";
import { type Scenario, scenarios } from "./world";

const PAGE = "docs/signing-in.md";
const AUDIENCE = "https://cloud.api.example.com";
const PASSWORD = "canary-password-of-deployer";
const APPLICATION_SECRET = "canary-application-credential-secret";

const permission = { projects: ["web"] };
const config = {
  serviceUsers: [{ name: "deployer", password: PASSWORD, permission }],
  identityProviders: ["github", "gitlab", "cluster"].map((id) => ({
    id,
    audience: AUDIENCE,
    permission,
  })),
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
  const [github = "", ...further] = blocksOf(PAGE, "ts").map(({ text }) => text);
  // "As with GitHub Actions, with `token: …`".
  const tokens = [...readPage(PAGE).matchAll(/^As with GitHub Actions, with `(token: [^`]+)`/gm)];
  const [gitlab, pod] = tokens.map(([, token = ""]) => github.replace(/token: .*(?=,)/, token));
  const texts = {
    github,
    gitlab: gitlab?.replaceAll("github", "gitlab"),
    pod: pod?.replace('identityProvider: "github"', 'identityProvider: "cluster"'),
    ci: further[0],
    deployer: further[1],
  };
  return Object.fromEntries(
    Object.entries(texts).map(([id, text = ""]) => [
      id,
      text
        .replaceAll('"github", {', `"${id}", {`)
        .replace(`authUrl: "${AUDIENCE}"`, `authUrl: "${identity.authUrl}"`)
        .replace("/var/run/identity", scratch.home),
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
    new LocalBackend(this, { path: "terraform.tfstate" });
    ${text}
    const used = new ServiceUserToken(this, "used", { identity: ${name}, scope: TokenScope.project("web") });
    const environment = { ...used.environment("API"), API_URL: "${stage.api.url}/${id}" };
    const provisioner = { type: "local-exec" as const, command: ${JSON.stringify(CALL)}, environment };
    new DataResource(this, "call", { provisioners: [provisioner] });
  }
}
new Stack_${id}();`;
  });
  return makeProject({
    app: `import { App, DataResource, LocalBackend, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
const app = new App({ outdir: ${JSON.stringify(join(stage.scratch.folder, "out"))} });
${stacks.join("\n")}
app.synth();`,
  });
}

/** A program that prints a secret if it gets the arguments of the page, and fails otherwise. */
function storeIn({ scratch }: Scenario): Record<string, string> {
  const folder = join(scratch.home, "bin");
  mkdirSync(folder);
  const known = ["read op://ci/deployer/password", "read op://ci/dns/token"];
  const script = `case $* in ${known.map((each) => `"${each}"`).join("|")}) exec printenv SECRET_OF_THE_STORE; esac; exit 1`;
  writeFileSync(join(folder, "op"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = [folder, process.env.PATH].join(delimiter);
  return { PATH, SECRET_OF_THE_STORE: PASSWORD, IAM_TOKENS_ALLOWED_COMMANDS: "op" };
}

// docs/signing-in.md: One sign-in serves all tokens of a run
scenarios(
  PAGE,
  (stage) => {
    const github = () => ({ ...stage().identity.githubActions({ identityProvider: "github" }) });
    const further = { password: PASSWORD, "application credential": APPLICATION_SECRET };

    test("each recipe signs in, as its pipeline has it, and no secret is anywhere after all commands at TRACE", async () => {
      const { identity, scratch } = stage();
      const token = (id: string, aud: string, expiresIn = 300) =>
        identity.oidcToken({ identityProvider: id, aud, expiresIn });
      const [variable = "", { aud = "" } = {}] =
        Object.entries<{ aud?: string }>(gitlab.deploy.id_tokens)[0] ?? [];
      const { path, audience } = pod.spec.volumes[0].projected.sources[0].serviceAccountToken;
      const file = join(scratch.home, path);
      expect(pod.spec.containers[0].volumeMounts[0].mountPath).toBe("/var/run/identity");
      expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
      writeFileSync(file, token("cluster", audience, -60));
      const job = github();
      const environments: Readonly<Record<string, Record<string, string>>> = {
        github: job,
        gitlab: { [variable]: token("gitlab", aud) },
        pod: {},
        ci: { OS_APPLICATION_CREDENTIAL_SECRET: APPLICATION_SECRET },
        deployer: storeIn(stage()),
      };
      const project = projectOf(stage());
      const texts: Record<string, string> = {};
      try {
        const env = { ...scratch.env, TSX_DISABLE_CACHE: "1" };
        const args = ["--import", "tsx", "main.ts"];
        const options = { cwd: project.folder, env };
        const synthesized = await startCommand(process.execPath, args, options).finished;
        expect(synthesized.text).toBe("");
      } finally {
        project.remove();
      }
      for (const [id, env] of Object.entries(environments)) {
        const folder = join(scratch.folder, "out/stacks", id);
        const traced = async (...commands: readonly string[]) => {
          const printed = await stage().trace(folder, commands, env);
          texts[`${id}: ${commands}`] = Object.values(printed).join("\n");
        };
        await traced("init");
        if (id === "pod") {
          const { stderr } = await stage().terraform(folder, "plan", env);
          expect(stderr).toContain("ERR_CREDENTIALS_REJECTED");
          texts["pod: an expired identity token"] = stderr;
          // Kubernetes renews the file.
          writeFileSync(file, token("cluster", audience));
        }
        await traced("plan -out=saved", "apply saved");
      }
      expect(blocksOf(PAGE, "ts")).toHaveLength(3);
      expect(stage().calls()).toEqual(
        Object.keys(environments).map((id) => `/${id} project web 200`),
      );
      const bearer = job.ACTIONS_ID_TOKEN_REQUEST_TOKEN;
      const isPods = (leak: string) => /^identity token \d: token$/.test(leak);
      expect(
        stage()
          .leaks(texts, { ...further, bearer })
          .filter((leak) => !isPods(leak)),
      ).toEqual([]);
    });

    test("so does each of the blocks in plain HCL", async () => {
      const env = {
        ...github(),
        ...storeIn(stage()),
        OS_APPLICATION_CREDENTIAL_SECRET: APPLICATION_SECRET,
      };
      const blocks = blocksOf(PAGE, "hcl");
      for (const { text } of blocks) {
        const { authUrl } = stage().identity;
        const signsIn = text.includes('provider "iam"');
        const folder = stage().module(
          text.replace(/(auth_url +=) "[^"]*"/, `$1 "${authUrl}"`) + (signsIn ? TOKEN : ""),
        );
        await stage().succeed(folder, "init", {});
        await stage().succeed(folder, "apply -auto-approve", env);
        if (!signsIn) continue;
        expect(await stage().outputs(folder)).toMatchObject({
          kind: { value: "iam_token_project_scoped" },
        });
      }
      expect(blocks.length).toBeGreaterThan(2);
    });
  },
  { config },
);

const TOKEN = `
data "iam_token" "project" {
  scope        = "project"
  project_name = "web"
}
output "kind" { value = data.iam_token.project.kind }
`;
