/**
 * The main job on an embedded identity server, with the real cdktf and the real Terraform: `npm run
 * demo`.
 *
 * It checks its results, and ends with 1 if one is wrong.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { playExample, type Stage, showCalls } from "./example";
import { type SecretRow, searchForSecrets } from "./secrets-table";

playExample("Tokens declared in a stack, resolved by Terraform", async (stage) => {
  const { steps, identity, api, project } = stage;
  project.useApp(resolve(__dirname, "../quick-start/main.ts"));
  Object.assign(project.environment, {
    QUICK_START_AUTH_URL: identity.authUrl,
    QUICK_START_PRODUCT_API_URL: api.url,
  });
  steps.detail("stack             examples/quick-start/quick-start-stack.ts");
  steps.detail(`identity service  ${identity.authUrl}`);
  steps.detail(`product API       ${api.url}`);
  await steps.run("cdktf deploy --auto-approve (synthesis, init, plan, apply)", () =>
    project.cdktf("deploy", "--auto-approve"),
  );

  steps.title("Requests to the product API: each path takes one kind of token, in its header");
  showCalls(stage, 3);

  steps.title("Outputs for other programs");
  const output = await steps.run("cdktf output", () => project.cdktf("output", "--skip-synth"));
  for (const line of stripVTControlCharacters(output)
    .split("\n")
    .filter((text) => /^\s*ci_/.test(text)))
    steps.detail(line.trim());

  const found = await steps.run("searched everything that the run wrote and printed", async () =>
    searchForSecrets(stage, secretsOf(stage)),
  );
  await steps.run("cdktf destroy --auto-approve", () => project.cdktf("destroy", "--auto-approve"));

  steps.title("Where each secret was written");
  for (const line of found) steps.detail(line);
  const refused = identity.journal.filter(({ status }) => status >= 400).length;
  steps.detail("");
  steps.detail(
    `${identity.issuedTokens().length} tokens were issued, ${refused} requests refused.`,
  );
  steps.detail('Next: README.md, "Quick start"');
});

function secretsOf({ identity, project, secrets }: Stage): readonly SecretRow[] {
  const state = JSON.parse(
    readFileSync(join(project.folder, "terraform.quick-start.tfstate"), "utf8"),
  );
  const shared: string = state.outputs.ci_value.value;
  const ofKind = (wanted: string) =>
    identity.issuedTokens().filter((token) => {
      const described = identity.describeToken(token);
      return token !== shared && described.status !== "unknown" && described.kind === wanted;
    });
  return [
    {
      name: "user's password",
      usedBy: "identity service",
      values: [secrets.SERVICE_USER_PASSWORD],
    },
    {
      name: "account token",
      usedBy: "API /account",
      values: ofKind("iam_token_account_scoped"),
    },
    {
      name: "project token",
      usedBy: "API /projects/web",
      values: ofKind("iam_token_project_scoped"),
    },
    { name: "static token", usedBy: "API /dns", values: [secrets.STATIC_TOKEN] },
    { name: "output's token", usedBy: "cdktf output", values: [shared], inState: true },
  ];
}
