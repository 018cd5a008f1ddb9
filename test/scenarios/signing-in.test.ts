import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DataResource } from "cdktf";
import { parse } from "yaml";
import * as entry from "../../lib";
import { blocksOf, readPage } from "../support/pages";
import { localExec, type Scenario, scenarios, webToken } from "./world";

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

/** A stack that uses a token of the project "web" by each recipe; test/scenarios/pages compiles these. */
const stackOf = (stage: Scenario): string =>
  stage.stack((stack) => {
    for (const [id, text] of Object.entries(recipes(stage))) {
      const [, name = ""] = /const (\w+) = new IdentityService/.exec(text) ?? [];
      const recipe = new Function(...Object.keys(entry), `${text}\nreturn ${name};`);
      const identity = recipe.call(stack, ...Object.values(entry));
      const used = webToken(stack, stage, { id: `used-${id}`, identity });
      const environment = { ...used.environment("API"), API_URL: `${stage.api.url}/${id}` };
      new DataResource(stack, `call-${id}`, localExec(CALL, environment));
    }
  });

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

    test("each recipe signs in, as its pipeline has it, and no secret is anywhere after all commands", async () => {
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
      const env: Readonly<Record<string, string>> = {
        ...job,
        [variable]: token("gitlab", aud),
        OS_APPLICATION_CREDENTIAL_SECRET: APPLICATION_SECRET,
        ...storeIn(stage()),
      };
      const folder = stackOf(stage());
      await stage().succeed(folder, "init", env);
      const expired = await stage().terraform(folder, "plan", env);
      expect(expired.stderr).toContain("ERR_CREDENTIALS_REJECTED");
      // Kubernetes renews the file.
      writeFileSync(file, token("cluster", audience));
      const texts = await stage().trace(folder, ["plan -out=saved", "apply saved"], env);
      expect(blocksOf(PAGE, "ts")).toHaveLength(3);
      expect([...stage().calls()].sort()).toEqual(
        ["ci", "deployer", "github", "gitlab", "pod"].map((id) => `/${id} project web 200`),
      );
      const bearer = job.ACTIONS_ID_TOKEN_REQUEST_TOKEN;
      const isPods = (leak: string) => /^identity token \d: token$/.test(leak);
      expect(
        stage()
          .leaks({ ...texts, "an expired token": expired.text }, { ...further, bearer })
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
