import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { commandLine } from "../support/framework";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import type { Contestant } from "./pairs";
import { IAM_TOKENS } from "./plans";
import type { Comparison } from "./report";
import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, type Stage, USER } from "./stage";

/** Whole deployments, as a pipeline makes them: new stacks of one credential, a token each. */
export async function measureDeployments(stage: Stage): Promise<Comparison[]> {
  const deploy = (name: string, how: Shape["how"], through: readonly string[] = []) => {
    const cwd = project(stage, name, { how, stacks: 10, resources: DATA_RESOURCE });
    const args = [...through, ...commandLine(), "deploy", "*", "--auto-approve"];
    const [program = "", ...rest] = args;
    return {
      name,
      run: () => {
        // Each deployment is the first one.
        for (const name of readdirSync(cwd))
          if (/^terraform\.|^cdktf\.out$/.test(name)) rmSync(join(cwd, name), { recursive: true });
        return timed(stage, cwd, program, rest);
      },
    };
  };
  const run = [process.execPath, IAM_TOKENS, "run", "--quiet", "--"];
  const outcomes = await stage.measure(
    "cdktf deploy",
    [
      deploy("none", "without"),
      deploy("`cdktf deploy` of 10 stacks", "with"),
      deploy("`iam-tokens run -- cdktf deploy` of 10 stacks", "with", run),
    ],
    3,
  );
  return [{ floor: "none", outcomes }];
}

/** Programs with tokens, and how many stacks and resources in each they have. */
export const SYNTHESES = {
  "synthesis of 30 stacks, a token each": { stacks: 30, resources: 10 },
  "synthesis of 300 resources, one token": { stacks: 1, resources: 300 },
} as const;
export type Synthesis = keyof typeof SYNTHESES;

export async function measureSynthesis(stage: Stage): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const name of Object.keys(SYNTHESES) as Synthesis[]) {
    const contestants = [
      synthesizing(stage, "none", name, { how: "without" }),
      synthesizing(stage, name, name),
    ];
    comparisons.push({ floor: "none", outcomes: await stage.measure(name, contestants) });
  }
  return comparisons;
}

/** A program as the command line starts it, again into the same folder. */
export function synthesizing(
  stage: Stage,
  name: string,
  what: Synthesis,
  { how = "with", root = packageRoot }: Partial<Pick<Shape, "how" | "root">> = {},
): Contestant {
  const { stacks, resources } = SYNTHESES[what];
  const shape = { how, stacks, resources: nullResources(root, resources), root };
  const cwd = project(stage, name, shape);
  return { name, run: () => timed(stage, cwd, process.execPath, ["main.cjs"]) };
}

/** A module of a checkout, as a JavaScript string. */
function moduleText(root: string, name: string): string {
  return JSON.stringify(join(root, "node_modules", name));
}

interface Shape {
  /** Whether it has tokens. */
  readonly how: "with" | "without";
  readonly stacks: number;
  /** In each stack. */
  readonly resources: string;
  /** The checkout whose package and framework it uses; this one by default. */
  readonly root?: string;
}

const DATA_RESOURCE = 'new DataResource(stack, "something");';

/** For a data resource, cdktf would run Terraform, to ask for its version. */
const nullResources = (root: string, count: number) => `
  const { NullProvider } = require(${moduleText(root, "@cdktf/provider-null/lib/provider")});
  const { Resource } = require(${moduleText(root, "@cdktf/provider-null/lib/resource")});
  new NullProvider(stack, "null");
  for (let number = 0; number < ${count}; number++) new Resource(stack, "something-" + number);`;

/** JavaScript: the figures have no compiler in them. */
function project(
  { scratch, identity }: Stage,
  name: string,
  { how, stacks, resources, root = packageRoot }: Shape,
): string {
  const folder = join(scratch.folder, `${stacks}`, name.replaceAll(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "cdktf.json"),
    JSON.stringify({ language: "typescript", app: "node main.cjs", sendCrashReports: "false" }),
  );
  const token = `
  const { IdentityService, SecretRef, ServiceUserToken, TokenScope } = require(${JSON.stringify(root)});
  const identity = new IdentityService(stack, "identity", {
    authUrl: ${JSON.stringify(identity.authUrl)},
    accountId: "${ACCOUNT}",
    serviceUser: { name: "${USER}", password: SecretRef.env("${PASSWORD_VARIABLE}") },
  });
  new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });`;
  writeFileSync(
    join(folder, "main.cjs"),
    `const { App, DataResource, TerraformStack } = require(${moduleText(root, "cdktf")});
const app = new App();
for (let index = 0; index < ${stacks}; index++) {
  const stack = new TerraformStack(app, "stack-" + index);
  ${resources}${how === "with" ? token : ""}
}
app.synth();
`,
  );
  return folder;
}

async function timed(
  { scratch }: Stage,
  cwd: string,
  program: string,
  args: readonly string[],
): Promise<number> {
  const { exitCode, durationMs, text } = await startCommand(program, args, {
    cwd,
    env: { ...terraformEnvironment(scratch), CI: "true", [PASSWORD_VARIABLE]: PASSWORD },
    timeoutMs: 300_000,
  }).finished;
  if (exitCode !== 0) throw new Error(text.slice(-4_000));
  return durationMs;
}
