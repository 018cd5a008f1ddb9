/**
 * The main job on an embedded identity server, with the real cdktf and the real Terraform: `npm run
 * demo`.
 *
 * It checks what it shows, and ends with 1 when something is not so.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { scanForLeaks } from "cdktf-iam-tokens/testing";
import { expectThat, playExample, type Stage, showCalls } from "./example";

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

  steps.title("What the product API saw: each path takes one kind of token, by its header");
  showCalls(stage, 3);

  steps.title("What other programs get");
  const output = await steps.run("cdktf output", () => project.cdktf("output", "--skip-synth"));
  for (const line of stripVTControlCharacters(output)
    .split("\n")
    .filter((text) => /^\s*ci_/.test(text)))
    steps.detail(line.trim());

  steps.title("Where each secret is, and where not");
  await steps.run("searched everything that the run left behind and printed", async () => {
    report(stage);
  });

  steps.title("The end");
  await steps.run("cdktf destroy --auto-approve", () => project.cdktf("destroy", "--auto-approve"));
  const issued = identity.journal.filter(
    ({ method, status }) => method === "POST" && status === 201,
  ).length;
  steps.detail(
    `tokens issued in all: ${issued}, requests refused: ${identity.journal.filter(({ status }) => status >= 400).length}`,
  );
  steps.detail('next: README.md, "Ten lines"');
});

function report({ steps, identity, project, secrets }: Stage): void {
  const state = JSON.parse(
    readFileSync(join(project.folder, "terraform.quick-start.tfstate"), "utf8"),
  );
  const shared: string = state.outputs.ci_value.value;
  const rows: Record<string, string[]> = {
    "password of the service user": [secrets.SERVICE_USER_PASSWORD],
    "ephemeral IAM tokens": identity.issuedTokens().filter((token) => token !== shared),
    "static token (ephemeral)": [secrets.STATIC_TOKEN],
    "data IAM token": [shared],
  };
  for (const [name, values] of Object.entries(rows)) {
    const canaries = Object.fromEntries(values.map((value, index) => [`${name} ${index}`, value]));
    const { findings } = scanForLeaks({
      canaries,
      folders: [project.folder],
      texts: { "printed by cdktf": project.printed },
    });
    const places = [
      ...new Set(findings.map(({ where }) => where.replace(`${project.folder}/`, ""))),
    ];
    steps.detail(
      `${name.padEnd(29)} ${values.length} searched: ${places.length === 0 ? "nowhere" : places.join(", ")}`,
    );
    const expected = name === "data IAM token" ? ["terraform.quick-start.tfstate"] : [];
    expectThat(
      places.join() === expected.join(),
      `${name}: expected in ${expected.join() || "no place"}`,
    );
  }
}
