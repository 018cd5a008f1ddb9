import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runCdktf } from "../support/framework";
import type { Scratch } from "../support/scratch";
import type { Contestant } from "./pairs";
import type { Section } from "./section";
import type { Stage } from "./stage";

const ROOT = resolve(__dirname, "../..");

/**
 * How 300 resources are spread over stacks: many small ones, and one large, as most programs have
 * it.
 */
const SHAPES: readonly Shape[] = [
  { stacks: 30, resources: 10 },
  { stacks: 1, resources: 300 },
];

interface Shape {
  readonly stacks: number;
  /** In each stack. */
  readonly resources: number;
}

const WITH = "with one identity service and one token a stack";
const WITHOUT = "without";

/** Cost of our constructs in a synthesis. */
export async function measureSynthesis(stage: Stage): Promise<Section[]> {
  const sections: Section[] = [];
  const rounds = Math.min(stage.rounds, 5);
  for (const shape of SHAPES) {
    const what = `${shape.stacks} × ${shape.resources} resources`;
    const measured = async (
      title: string,
      contestants: readonly Contestant[],
      most = rounds,
      costs: Section["costs"] = [],
    ) => {
      const outcomes = await stage.measure(title, contestants, most);
      sections.push({
        title,
        outcomes: outcomes.map(({ name, times }) => ({ name, times })),
        floor: WITHOUT,
        costs,
      });
    };
    await measured(
      `Synthesis of ${what}, into an empty folder`,
      synthesis(stage.scratch, shape, false),
    );
    await measured(
      `Synthesis of ${what}, again`,
      synthesis(stage.scratch, shape, true),
      rounds,
      shape.stacks === 1 ? [] : [[`synthesis of ${shape.stacks} stacks, a token each`, WITH]],
    );
    await measured(
      `cdktf synth of ${what}`,
      synthesisByCommandLine(stage.scratch, shape),
      Math.min(rounds, 3),
    );
  }
  return sections;
}

/**
 * Measures synthesis with our constructs and without: whole programs, as the CDKTF command line
 * starts them; with ours each stack has an identity service and a token, which its provider takes.
 *
 * @param again into a folder that has been synthesized before, as all but the first run of a
 * project do
 */
function synthesis(scratch: Scratch, { stacks, resources }: Shape, again: boolean): Contestant[] {
  const program = join(scratch.folder, "synthesis.cjs");
  writeFileSync(program, TEXT);
  return (["with", "without"] as const).map((how) => {
    const outdir = join(scratch.folder, `synthesis-${how}-${stacks}`);
    return {
      name: how === "with" ? WITH : WITHOUT,
      run: async () => {
        if (!again) rmSync(outdir, { recursive: true, force: true });
        return synthesized(program, [how, outdir, String(stacks), String(resources)], scratch);
      },
    };
  });
}

/** The same two, through `cdktf synth`: what a user waits for. */
function synthesisByCommandLine(scratch: Scratch, { stacks, resources }: Shape): Contestant[] {
  return (["with", "without"] as const).map((how) => {
    const folder = join(scratch.folder, `project-${how}-${stacks}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "main.cjs"), TEXT);
    const app = `node main.cjs ${how} cdktf.out ${stacks} ${resources}`;
    writeFileSync(
      join(folder, "cdktf.json"),
      JSON.stringify({ language: "typescript", app, sendCrashReports: "false" }),
    );
    return {
      name: how === "with" ? WITH : WITHOUT,
      run: async () => {
        const { exitCode, durationMs, text } = await runCdktf(folder, ["synth"], { scratch });
        if (exitCode !== 0) throw new Error(text);
        return durationMs;
      },
    };
  });
}

function synthesized(program: string, args: readonly string[], { env }: Scratch): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? done(performance.now() - started)
        : reject(new Error(`Synthesis ended with ${code}.`)),
    );
  });
}

/**
 * JavaScript: the figures have no compiler in them; the provider is the real one of Terraform's
 * null resources.
 */
const TEXT = `
const { App, TerraformStack } = require(${JSON.stringify(join(ROOT, "node_modules/cdktf"))});
const { NullProvider } = require(${JSON.stringify(join(ROOT, "node_modules/@cdktf/provider-null/lib/provider"))});
const { Resource } = require(${JSON.stringify(join(ROOT, "node_modules/@cdktf/provider-null/lib/resource"))});
const [, , how, outdir, stacks, resources] = process.argv;
const ours = how === "with" ? require(${JSON.stringify(ROOT)}) : undefined;
const app = new App({ outdir });
for (let number = 0; number < Number(stacks); number++) {
  const stack = new TerraformStack(app, "stack-" + number);
  const provider = new NullProvider(stack, "null");
  if (ours) {
    const identity = new ours.IdentityService(stack, "identity", {
      authUrl: "https://cloud.api.example.com",
      accountId: "123456",
      serviceUser: { name: "deployer", password: ours.SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const token = new ours.ServiceUserToken(stack, "token", { identity, scope: ours.TokenScope.account() });
    provider.addOverride("token", token.value);
  } else provider.addOverride("token", "x");
  let before;
  for (let index = 0; index < Number(resources); index++) {
    before = new Resource(stack, "resource-" + index, { triggers: { index: String(index), before: before ? before.id : "none" } });
  }
}
app.synth();
`;
