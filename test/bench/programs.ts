import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../support/framework";
import { packageRoot } from "../support/project";
import type { Contestant, Outcome } from "./pairs";
import { IAM_TOKENS } from "./plans";
import { NONE } from "./report";
import { ACCOUNT, PASSWORD_VARIABLE, type Stage, timed, USER } from "./stage";

/** Whole deployments, as a pipeline makes them: new stacks of one credential, a token each. */
export async function measureDeployments(stage: Stage): Promise<Outcome[][]> {
  const deploy = (name: string, ...through: readonly string[]) => {
    const cwd = project(stage, name, { stacks: 10, resources: DATA_RESOURCE });
    const run = () => {
      // Each deployment is the first one.
      for (const name of readdirSync(cwd))
        if (/^terraform\.|^cdktf\.out$/.test(name)) rmSync(join(cwd, name), { recursive: true });
      return timed(cwd, stage.env, ...through, ...commandLine(), "deploy", "*", "--auto-approve");
    };
    return { name, run };
  };
  const run = [process.execPath, IAM_TOKENS, "run", "--quiet", "--"];
  const contestants = [
    deploy(NONE),
    deploy("`cdktf deploy` of 10 stacks"),
    deploy("`iam-tokens run -- cdktf deploy` of 10 stacks", ...run),
  ];
  return [await stage.measure("cdktf deploy", contestants, 3)];
}

/** Programs with tokens, and how many stacks and resources in each they have. */
export const SYNTHESES = {
  "synthesis of 30 stacks, a token each": { stacks: 30, resources: 10 },
  "synthesis of 300 resources, one token": { stacks: 1, resources: 300 },
} as const;
export type Synthesis = keyof typeof SYNTHESES;

export async function measureSynthesis(stage: Stage): Promise<Outcome[][]> {
  const comparisons: Outcome[][] = [];
  for (const name of Object.keys(SYNTHESES) as Synthesis[]) {
    const contestants = [NONE, name].map((each) => synthesizing(stage, each, name));
    comparisons.push(await stage.measure(name, contestants));
  }
  return comparisons;
}

/** A program as the command line starts it, again into the same folder. */
export function synthesizing(
  stage: Stage,
  name: string,
  what: Synthesis,
  root = packageRoot,
): Contestant {
  const { stacks, resources } = SYNTHESES[what];
  const cwd = project(stage, name, { stacks, resources: nullResources(root, resources), root });
  return { name, run: () => timed(cwd, stage.env, process.execPath, "main.cjs") };
}

/** A module of a checkout, as a JavaScript string. */
function moduleText(root: string, name: string): string {
  return JSON.stringify(join(root, "node_modules", name));
}

interface Shape {
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

/** JavaScript: the figures have no compiler in them. It has tokens unless it is called "none". */
function project(
  { scratch, identity }: Stage,
  name: string,
  { stacks, resources, root = packageRoot }: Shape,
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
  ${resources}${name === NONE ? "" : token}
}
app.synth();
`,
  );
  return folder;
}
