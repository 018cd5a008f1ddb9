/**
 * The main job on an embedded identity server, with the real cdktf and the real Terraform: `npm run demo`.
 *
 * It checks what it shows, and ends with 1 when something is not so.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { EmbeddedIdentityService, scanForLeaks } from "cdktf-iam-tokens/testing";
import { DemoProject, terraformVersion } from "./command-line";
import { ProductApi } from "./product-api";
import { Steps } from "./steps";

async function main(): Promise<void> {
  const terraform = terraformVersion();
  if (terraform === undefined) {
    throw new Error(
      "The demo needs Terraform 1.10 or OpenTofu 1.11 (or newer) on the PATH: https://developer.hashicorp.com/terraform/install or https://opentofu.org/docs/intro/install (then TERRAFORM_BINARY_NAME=tofu).",
    );
  }
  const steps = new Steps();
  const password = randomBytes(18).toString("base64url");
  const staticToken = randomBytes(24).toString("base64url");

  steps.title(`Tokens declared in a stack, resolved by ${terraform}`);
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password, permission: { account: true, projects: ["web"] } }],
  });
  const api = await ProductApi.start({
    identity,
    accountId: "123456",
    staticTokens: [staticToken],
    demands: {
      "/account": { kind: "iam_token_account_scoped" },
      "/projects/web": { kind: "iam_token_project_scoped", project: "web" },
      "/dns": { kind: "static_token" },
    },
  });
  const project = new DemoProject({
    SERVICE_USER_PASSWORD: password,
    STATIC_TOKEN: staticToken,
    QUICK_START_AUTH_URL: identity.authUrl,
    QUICK_START_PRODUCT_API_URL: api.url,
  });
  const cleanUp = async () => {
    project.remove();
    await Promise.all([identity.stop(), api.stop()]);
  };
  try {
    steps.detail("stack             examples/quick-start/quick-start-stack.ts");
    steps.detail(`identity service  ${identity.authUrl}`);
    steps.detail(`product API       ${api.url}`);
    await steps.run("cdktf deploy --auto-approve (synthesis, init, plan, apply)", () =>
      project.cdktf("deploy", "--auto-approve"),
    );

    steps.title("What the product API saw: each path takes one kind of token, by its header");
    for (const { path, headerName, kind, status } of [...api.journal].sort((a, b) => a.path.localeCompare(b.path))) {
      steps.detail(`${path.padEnd(14)} ${String(headerName).padEnd(13)} ${String(kind).padEnd(25)} ${status}`);
    }
    expectThat(api.journal.length === 3 && api.journal.every(({ status }) => status === 200), "three calls, all accepted");

    steps.title("What other programs get");
    const output = await steps.run("cdktf output", () => project.cdktf("output", "--skip-synth"));
    for (const line of stripVTControlCharacters(output)
      .split("\n")
      .filter((text) => /^\s*ci_/.test(text)))
      steps.detail(line.trim());

    steps.title("Where each secret is, and where not");
    await steps.run("searched everything that the run left behind and printed", async () => {
      report(steps, identity, project, staticToken, password);
    });

    steps.title("The end");
    await steps.run("cdktf destroy --auto-approve", () => project.cdktf("destroy", "--auto-approve"));
    const issued = identity.journal.filter(({ method, status }) => method === "POST" && status === 201).length;
    steps.detail(
      `tokens issued in all: ${issued}, requests refused: ${identity.journal.filter(({ status }) => status >= 400).length}`,
    );
    await steps.run("servers stopped, folder removed", cleanUp);
    console.log(`\n  All of it in ${steps.total()}. Next: README.md, "Ten lines".\n`);
  } finally {
    await cleanUp();
  }
}

function report(
  steps: Steps,
  identity: EmbeddedIdentityService,
  project: DemoProject,
  staticToken: string,
  password: string,
): void {
  const state = JSON.parse(readFileSync(join(project.folder, "terraform.quick-start.tfstate"), "utf8"));
  const shared: string = state.outputs.ci_value.value;
  const rows: Record<string, string[]> = {
    "password of the service user": [password],
    "ephemeral IAM tokens": identity.issuedTokens().filter((token) => token !== shared),
    "static token (ephemeral)": [staticToken],
    "data IAM token": [shared],
  };
  for (const [name, values] of Object.entries(rows)) {
    const canaries = Object.fromEntries(values.map((value, index) => [`${name} ${index}`, value]));
    const { findings } = scanForLeaks({ canaries, folders: [project.folder], texts: { "printed by cdktf": project.printed } });
    const places = [...new Set(findings.map(({ where }) => where.replace(`${project.folder}/`, "")))];
    steps.detail(`${name.padEnd(29)} ${values.length} searched: ${places.length === 0 ? "nowhere" : places.join(", ")}`);
    const expected = name === "data IAM token" ? ["terraform.quick-start.tfstate"] : [];
    expectThat(places.join() === expected.join(), `${name}: expected in ${expected.join() || "no place"}`);
  }
}

function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`This is not so: ${what}.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
