import { randomBytes } from "node:crypto";
import {
  type EmbeddedIdentityConfig,
  EmbeddedIdentityService,
  scanForLeaks,
} from "cdktf-iam-tokens/testing";
import { DemoProject, terraformVersion } from "./command-line";
import { Steps } from "./steps";

/** The stage of an example. */
export interface Stage {
  readonly steps: Steps;
  /**
   * An identity service with the account 123456, its service user deployer, and the projects web
   * and shop.
   */
  readonly identity: EmbeddedIdentityService;
  /**
   * Product APIs, for which the identity service's `/echo` stands: `/account` and `/projects/web`
   * get the IAM tokens of these scopes, `/dns` the static token.
   */
  readonly api: { readonly url: string };
  /** An empty project and working folder for the example. */
  readonly project: DemoProject;
  /**
   * SERVICE_USER_PASSWORD and STATIC_TOKEN; they are in the environment of the project's commands,
   * unless its setting has another one.
   */
  readonly secrets: { readonly SERVICE_USER_PASSWORD: string; readonly STATIC_TOKEN: string };
}

/** What the pipeline of an example has in place of a service user and the secrets. */
export interface Setting {
  readonly account: Omit<EmbeddedIdentityConfig, "accountId">;
  /** The variables of the project's commands. */
  readonly environment: (identity: EmbeddedIdentityService) => Readonly<Record<string, string>>;
}

/**
 * Plays an example on an embedded identity service, with the real Terraform: prints its steps, and
 * removes what was made. The program ends with 1 if an expectation of the example fails.
 */
export function playExample(
  title: string,
  play: (stage: Stage) => Promise<void>,
  setting?: Setting,
): void {
  run(title, play, setting).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}

/** Ends the example when an expectation fails. */
export function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`This is not so: ${what}.`);
}

/** The kind of token that each product API takes. */
const KINDS: Readonly<Record<string, string>> = {
  "/account": "iam_token_account_scoped",
  "/projects/web": "iam_token_project_scoped",
  "/dns": "static_token",
};

/** The requests to the identity service itself, not to the product APIs. */
export function requestsTo({ journal }: EmbeddedIdentityService) {
  return journal.filter(({ path }) => !path.startsWith("/echo/"));
}

/** Prints the calls of the product APIs, all of them accepted. */
export function showCalls({ steps, identity }: Stage, expected: number): void {
  const calls = identity.journal
    .filter(({ path }) => path.startsWith("/echo/"))
    .map(({ scope, ...call }) => ({
      ...call,
      path: call.path.slice("/echo".length),
      // A token in the wrong header is refused.
      header: scope === null ? "X-Token" : "X-Auth-Token",
      kind: scope === null ? "static_token" : `iam_token_${scope.kind}_scoped`,
    }))
    .sort((a, b) => a.path.localeCompare(b.path));
  for (const { path, header, kind, status } of calls)
    steps.detail(`${path.padEnd(14)} ${header.padEnd(13)} ${kind.padEnd(25)} ${status}`);
  const right = calls.filter(({ path, kind, status }) => status === 200 && kind === KINDS[path]);
  expectThat(right.length === expected && calls.length === expected, `${expected} calls are right`);
}

/** Searches the files and the output of the example for its secrets, and for further ones. */
export function expectNoSecret(
  { identity, project, secrets }: Stage,
  further: Readonly<Record<string, string>> = {},
): void {
  const tokens = [...identity.issuedTokens(), ...identity.oidcTokens()];
  const canaries = { ...secrets, ...further, ...Object.fromEntries(tokens.entries()) };
  const { findings, notScanned } = scanForLeaks({
    canaries,
    folders: [project.folder],
    texts: { printed: project.printed },
  });
  const left = [...findings, ...notScanned].map(({ where }) => where);
  expectThat(left.length === 0, `no secret is left behind, and all was searched (${left})`);
}

async function run(
  title: string,
  play: (stage: Stage) => Promise<void>,
  setting?: Setting,
): Promise<void> {
  const terraform = terraformVersion();
  if (terraform === undefined) {
    throw new Error(
      "This needs Terraform 1.10 or OpenTofu 1.11 (or newer) on the PATH: https://developer.hashicorp.com/terraform/install or https://opentofu.org/docs/intro/install.",
    );
  }
  const steps = new Steps();
  const secrets = {
    SERVICE_USER_PASSWORD: randomBytes(18).toString("base64url"),
    STATIC_TOKEN: randomBytes(24).toString("base64url"),
  };
  const accountId = "123456";
  const permission = { account: true, projects: ["web", "shop"] };
  const deployer = { name: "deployer", password: secrets.SERVICE_USER_PASSWORD, permission };
  const staticTokens = [secrets.STATIC_TOKEN];
  const account = setting?.account ?? { serviceUsers: [deployer] };
  const config = { accountId, staticTokens, ...account };
  const identity = await EmbeddedIdentityService.start(config, { echo: true });
  const api = { url: `${identity.authUrl}/echo` };
  const project = new DemoProject(setting?.environment(identity) ?? secrets);
  const startedIn = process.cwd();
  process.chdir(project.folder);
  const cleanUp = async (): Promise<void> => {
    process.chdir(startedIn);
    project.remove();
    await identity.stop();
  };
  try {
    steps.title(title);
    steps.detail(terraform);
    await play({ steps, identity, api, project, secrets });
    await steps.run("server stopped, folder removed", cleanUp);
    console.log(`\n  All of it in ${steps.total()}.\n`);
  } finally {
    await cleanUp();
  }
}
