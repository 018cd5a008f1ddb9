import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { builtProvider } from "../support/go-providers";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { IAM_TOKENS } from "./attached";
import { configuration } from "./configuration";
import type { Contestant } from "./pairs";
import { HTTP, LAUNCHED, NONE, otherProviders, planFolder, planOf } from "./plans";
import { numberFigure, outcomeOf, type Section } from "./section";
import { PASSWORD, PASSWORD_VARIABLE, type Stage } from "./stage";
import { TERRAFORM } from "./start";

const WHOLE_RUN = "ours: iam-tokens run -- terraform plan, its start and end included";

/** Measurements before anything is warm. */
export async function measureFirst(stage: Stage): Promise<Section[]> {
  const { there } = await otherProviders(stage);
  const { authUrl } = stage.identity;
  const folder = (tokens: number) =>
    planFolder(stage, `run-${tokens}`, configuration("iam", tokens, authUrl), "iam");
  const none = await planFolder(stage, "first-none", configuration("none", 1, authUrl), "none");
  const launched = await planFolder(
    stage,
    "first-launched",
    configuration("iam", 1, authUrl),
    "iam",
  );
  const one = await folder(1);
  const rounds = Math.max(3, Math.ceil(stage.rounds / 2));
  const outcomes = await stage.measure(
    "first plan",
    [
      planOf(stage, NONE, none),
      { name: WHOLE_RUN, run: () => wholeRun(stage, one) },
      planOf(stage, LAUNCHED, launched),
    ],
    rounds,
  );
  const hundred = await folder(100);
  const ofHundred = await stage.measure(
    "first plan, 100 tokens",
    [{ name: WHOLE_RUN, run: () => wholeRun(stage, hundred) }],
    1,
  );
  const requests = outcomeOf(ofHundred, WHOLE_RUN).requests ?? Number.NaN;
  const sections: Section[] = [
    {
      title: "The only plan of a run, 1 token",
      outcomes,
      floor: NONE,
      figures: [
        numberFigure(
          "attached: requests for 100 references to one credential in a plan",
          1,
          requests,
          "requests",
        ),
      ],
    },
  ];

  const cold: Contestant[] = [
    planOf(stage, NONE, none),
    planOf(stage, LAUNCHED, launched, { before: forgetOurs }),
  ];
  if (there.includes("http")) {
    const file = await builtProvider("http");
    const http = await planFolder(stage, "first-http", configuration("http", 1, authUrl), "http");
    cold.push(planOf(stage, HTTP, http, { before: () => forget(file) }));
  }
  if (!canForget()) return sections;
  sections.push({
    title: "terraform plan, 1 token, the provider's files not in memory",
    outcomes: await stage.measure("cold plan", cold, rounds),
    floor: NONE,
    notes: ["Node.js itself is in memory, as this program runs on it; and so is Terraform."],
  });
  return sections;
}

async function wholeRun({ scratch, nodes: [node] }: Stage, cwd: string): Promise<number> {
  const env = { ...terraformEnvironment(scratch), ...node.env, [PASSWORD_VARIABLE]: PASSWORD };
  const args = [IAM_TOKENS, "run", "--quiet", "--", terraformBinary(), "plan"];
  const { exitCode, durationMs, text } = await startCommand(node.path, args, { cwd, env }).finished;
  if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
  return durationMs;
}

function forgetOurs(): void {
  for (const name of readdirSync(TERRAFORM)) forget(join(TERRAFORM, name));
}

/** Makes the system drop its cache of a file, by GNU dd. */
function forget(file: string): void {
  execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}

function canForget(): boolean {
  try {
    forgetOurs();
    return true;
  } catch {
    return false;
  }
}
