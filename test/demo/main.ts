/**
 * The main job with the real cdktf and the real Terraform: `npm run demo` deploys
 * examples/quick-start against an embedded identity server.
 *
 * It checks its results, and ends with 1 if one is wrong.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddedIdentityService } from "../../lib/testing";
import { type Example, openExample } from "../programs/examples/example";
import { startIdentity } from "../support/identity-service";
import { makeScratch } from "../support/scratch";
import { terraformBinary } from "../support/terraform";
import { type SecretRow, searchForSecrets } from "./secrets-table";
import { expectThat, Steps } from "./steps";

/** The kind of token that each product API takes. */
const KINDS: Readonly<Record<string, string>> = {
  "/account": "iam_token_account_scoped",
  "/dns": "static_token",
  "/projects/web": "iam_token_project_scoped",
};

/** Variables by which programs of this machine are found. */
const OF_THE_MACHINE = ["HOME", "TERRAFORM_BINARY_NAME", "SystemRoot", "ASDF_DIR", "TFENV_ROOT"];

demo().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function demo(): Promise<void> {
  const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
  const version = spawnSync(terraformBinary(), ["version"], {
    cwd: tmpdir(),
    encoding: "utf8",
    env,
  });
  if (version.status !== 0)
    throw new Error(
      "This needs Terraform 1.10 or OpenTofu 1.11 (or newer) on the PATH: https://developer.hashicorp.com/terraform/install or https://opentofu.org/docs/intro/install.",
    );
  const steps = new Steps();
  const scratch = makeScratch();
  const password = randomBytes(18).toString("base64url");
  const staticToken = randomBytes(24).toString("base64url");
  const config = { staticTokens: [staticToken] };
  const identity = await startIdentity(password, config, { echo: true });
  const configuration = join(scratch.folder, "terraform.rc");
  writeFileSync(configuration, "");
  const machine = OF_THE_MACHINE.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const example = await openExample({ scratch, identity, password, staticToken }, "quick-start", {
    ...Object.fromEntries(machine),
    // The home folder is the user's: nothing is written there.
    CDKTF_HOME: scratch.home,
    npm_config_cache: scratch.home,
    TF_CLI_CONFIG_FILE: configuration,
  });
  const cleanUp = async (): Promise<void> => {
    example.remove();
    scratch.remove();
    await identity.stop();
  };
  try {
    steps.title("Tokens declared in a stack, resolved by Terraform");
    steps.detail(version.stdout.split("\n")[0] ?? "");
    const folders = [example.folder, scratch.folder];
    await play({ steps, example, identity, password, staticToken, folders });
    await steps.run("server stopped, folder removed", cleanUp);
    console.log(`\n  All of it in ${steps.total()}.\n`);
  } finally {
    await cleanUp();
  }
}

interface Stage {
  readonly steps: Steps;
  readonly example: Example;
  readonly identity: EmbeddedIdentityService;
  readonly password: string;
  readonly staticToken: string;
  /** Everything that the commands can write to. */
  readonly folders: readonly string[];
}

async function play(stage: Stage): Promise<void> {
  const { steps, example, identity, folders } = stage;
  steps.detail("stack             examples/quick-start/main.ts");
  steps.detail(`identity service  ${identity.authUrl}`);
  steps.detail(`product API       ${identity.authUrl}/echo`);
  await steps.run("cdktf deploy --auto-approve (synthesis, init, plan, apply)", () =>
    example.bash("npx cdktf deploy --auto-approve"),
  );

  steps.title("Requests to the product API: each path takes one kind of token, in its header");
  const calls = identity.journal.flatMap(({ path, scope, status }) => {
    if (!path.startsWith("/echo/")) return [];
    // A token in the wrong header is refused.
    const header = scope === null ? "X-Token" : "X-Auth-Token";
    const kind = scope === null ? "static_token" : `iam_token_${scope.kind}_scoped`;
    return [{ path: path.slice("/echo".length), header, kind, status }];
  });
  for (const { path, header, kind, status } of calls.sort((a, b) => a.path.localeCompare(b.path)))
    steps.detail(`${path.padEnd(14)} ${header.padEnd(13)} ${kind.padEnd(25)} ${status}`);
  const right = calls.filter(({ path, kind, status }) => status === 200 && kind === KINDS[path]);
  expectThat(right.length === 3 && calls.length === 3, "three calls are right");

  steps.title("Outputs for other programs");
  const output = await steps.run("cdktf output", () =>
    example.bash("npx cdktf output --skip-synth"),
  );
  for (const line of output.match(/^\s*ci_.*/gm) ?? []) steps.detail(line.trim());

  const found = await steps.run("searched everything that the run wrote and printed", async () =>
    searchForSecrets(folders, example.printed(), secretsOf(stage)),
  );
  await steps.run("cdktf destroy --auto-approve", () =>
    example.bash("npx cdktf destroy --auto-approve"),
  );

  steps.title("Where each secret was written");
  for (const line of found) steps.detail(line);
  const refused = identity.journal.filter(({ status }) => status >= 400).length;
  steps.detail("");
  steps.detail(
    `${identity.issuedTokens().length} tokens were issued, ${refused} requests refused.`,
  );
  steps.detail('Next: README.md, "Quick start"');
}

function secretsOf(stage: Stage): readonly SecretRow[] {
  const { example, identity, password, staticToken } = stage;
  const state = JSON.parse(
    readFileSync(join(example.folder, "terraform.quick-start.tfstate"), "utf8"),
  );
  const shared: string = state.outputs.ci_value.value;
  const ofKind = (wanted: string) =>
    identity.issuedTokens().filter((token) => {
      const described = identity.describeToken(token);
      return token !== shared && described.status !== "unknown" && described.kind === wanted;
    });
  return [
    { name: "user's password", usedBy: "identity service", values: [password] },
    { name: "account token", usedBy: "API /account", values: ofKind("iam_token_account_scoped") },
    {
      name: "project token",
      usedBy: "API /projects/web",
      values: ofKind("iam_token_project_scoped"),
    },
    { name: "static token", usedBy: "API /dns", values: [staticToken] },
    { name: "output's token", usedBy: "cdktf output", values: [shared], inState: true },
  ];
}
