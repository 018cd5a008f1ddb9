import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { IAM_TOKENS } from "./attached";
import { numberFigure, outcomeOf, type Section } from "./section";
import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, type Stage, USER } from "./stage";

const CDKTF = join(packageRoot, "node_modules/cdktf-cli/bundle/bin/cdktf");
const RUN = "ours: iam-tokens run -- cdktf deploy";
const LAUNCHED = "ours: cdktf deploy";
const WITHOUT = "cdktf deploy, no provider at all";

/** Whole deployments, as a pipeline makes them: stacks of one credential, a token each. */
export async function measurePipeline(stage: Stage): Promise<Section[]> {
  const sections: Section[] = [];
  for (const stacks of [1, 10]) {
    const [ours, without] = [project(stage, stacks, true), project(stage, stacks, false)];
    const outcomes = await stage.measure(
      `cdktf deploy, ${stacks} stacks`,
      [
        { name: WITHOUT, run: () => deploy(stage, without, []) },
        {
          name: RUN,
          run: () => deploy(stage, ours, [IAM_TOKENS, "run", "--quiet", "--", stage.nodes[0].path]),
        },
        { name: LAUNCHED, run: () => deploy(stage, ours, []) },
      ],
      stacks === 1 ? Math.min(stage.rounds, 3) : 1,
    );
    const requests = outcomeOf(outcomes, RUN).requests ?? Number.NaN;
    sections.push({
      title: `cdktf deploy '*' of ${stacks} new stack${stacks === 1 ? "" : "s"}`,
      outcomes,
      floor: WITHOUT,
      costs:
        stacks === 10
          ? [
              ["`cdktf deploy` of 10 stacks", LAUNCHED],
              ["`iam-tokens run -- cdktf deploy` of 10 stacks", RUN],
            ]
          : [],
      figures:
        stacks === 10
          ? [
              numberFigure(
                "requests for run -- cdktf deploy of 10 stacks of one credential",
                1,
                requests,
                "requests",
              ),
            ]
          : [],
    });
  }
  return sections;
}

/** JavaScript: the figures have no compiler in them. */
function project({ scratch, identity }: Stage, stacks: number, ours: boolean): string {
  const folder = join(scratch.folder, `deploy-${ours ? "ours" : "none"}-${stacks}`);
  mkdirSync(folder, { recursive: true });
  const app = "node main.cjs";
  writeFileSync(
    join(folder, "cdktf.json"),
    JSON.stringify({ language: "typescript", app, sendCrashReports: "false" }),
  );
  const token = `
  const { IdentityService, SecretRef, ServiceUserToken, TokenScope } = require(${JSON.stringify(packageRoot)});
  const identity = new IdentityService(stack, "identity", {
    authUrl: ${JSON.stringify(identity.authUrl)},
    accountId: "${ACCOUNT}",
    serviceUser: { name: "${USER}", password: SecretRef.env("${PASSWORD_VARIABLE}") },
  });
  new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });`;
  writeFileSync(
    join(folder, "main.cjs"),
    `const { App, DataResource, TerraformStack } = require(${JSON.stringify(join(packageRoot, "node_modules/cdktf"))});
const app = new App();
for (let index = 0; index < ${stacks}; index++) {
  const stack = new TerraformStack(app, "stack-" + index);
  new DataResource(stack, "something");${ours ? token : ""}
}
app.synth();
`,
  );
  return folder;
}

async function deploy(
  { scratch, nodes: [node] }: Stage,
  cwd: string,
  through: readonly string[],
): Promise<number> {
  // Each deployment is the first one.
  for (const name of readdirSync(cwd))
    if (/\.tfstate|^cdktf\.out$/.test(name)) rmSync(join(cwd, name), { recursive: true });
  const env = {
    ...terraformEnvironment(scratch),
    ...node.env,
    CI: "true",
    [PASSWORD_VARIABLE]: PASSWORD,
  };
  const args = [...through, CDKTF, "deploy", "*", "--auto-approve"];
  const { exitCode, durationMs, text } = await startCommand(node.path, args, {
    cwd,
    env,
    timeoutMs: 300_000,
  }).finished;
  if (exitCode !== 0) throw new Error(text.slice(-4_000));
  return durationMs;
}
