import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasGo } from "../support/go-build";
import { builtProvider, type GoProviderName, installProvider } from "../support/go-providers";
import { runTerraform } from "../support/terraform";
import { type AttachedProvider, startAttached, startAttachedNull } from "./attached";
import { aliases, configuration, type Means, SCRIPT, script } from "./configuration";
import type { Contestant, Outcome } from "./pairs";
import { type Figure, numberFigure, outcomeOf, ratioFigure, type Section } from "./section";
import { type NodeProgram, PASSWORD, PASSWORD_VARIABLE, type Stage } from "./stage";

export const NONE = "no provider at all (terraform_data)";
export const ATTACHED = "ours, attached: a later plan of the same run";
export const LAUNCHED = "ours, launched by Terraform";
/** Without the hand-over: each launch of Terraform's is a server. */
export const LAUNCHED_OFF = "ours, three launches";
const ALIASES_OFF = "ours, a server for each launch";
export const HTTP = "hashicorp/http, POST";
const NULL_ATTACHED = "hashicorp/null, no request, attached (-debug)";

const OTHERS: Readonly<Record<GoProviderName, string>> = {
  null: "hashicorp/null, no request",
  http: HTTP,
  external: "hashicorp/external, curl",
};

/** By the number of tokens. */
const COSTS: Readonly<Record<number, Section["costs"]>> = {
  1: [
    ["`terraform plan`, 1 token", LAUNCHED],
    ["the same without the hand-over, as on macOS and Windows", LAUNCHED_OFF],
    ["a later plan under `iam-tokens run`, 1 token", ATTACHED],
  ],
  100: [["`terraform plan`, 100 tokens", LAUNCHED]],
};

export interface PlanOptions {
  /** Added to the environment of `init` and `plan`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Run before each plan, untimed. */
  readonly before?: () => void;
}

/** Readies a folder. Ours is found where synthesis puts it. */
export async function planFolder(
  stage: Stage,
  name: string,
  text: string,
  means: Means,
  options: PlanOptions = {},
): Promise<string> {
  const folder = join(stage.scratch.folder, "plans", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.tf"), text);
  if (means === "iam") symlinkSync(stage.plugins, join(folder, "terraform.d"));
  else if (means !== "none") await installProvider(folder, means);
  if (means === "external") writeFileSync(join(folder, SCRIPT), script(stage.identity.authUrl));
  await terraform(stage, folder, "init", options);
  return folder;
}

export function planOf(
  stage: Stage,
  name: string,
  folder: string,
  options: PlanOptions = {},
): Contestant {
  return {
    name,
    run: async () => {
      options.before?.();
      return terraform(stage, folder, "plan", options);
    },
  };
}

async function terraform(
  { scratch }: Stage,
  folder: string,
  command: string,
  { env }: PlanOptions,
): Promise<number> {
  const all = { [PASSWORD_VARIABLE]: PASSWORD, ...env };
  const { exitCode, durationMs, text } = await runTerraform(folder, [command], {
    scratch,
    env: all,
  });
  if (exitCode !== 0)
    throw new Error(`terraform ${command} in ${folder}:\n${text.slice(0, 4_000)}`);
  return durationMs;
}

interface OtherProviders {
  readonly there: readonly GoProviderName[];
  readonly notes: readonly string[];
}

let others: Promise<OtherProviders> | undefined;

/** Real providers of other people that can be had here; built by the first call. */
export function otherProviders(stage: Stage): Promise<OtherProviders> {
  others ??= buildOthers(stage);
  return others;
}

async function buildOthers({ tell }: Stage): Promise<OtherProviders> {
  const there: GoProviderName[] = [];
  const notes: string[] = [];
  for (const name of Object.keys(OTHERS) as GoProviderName[]) {
    try {
      if (!hasGo()) throw new Error("there is no Go here to build it with");
      tell(`hashicorp/${name}: build, unless it is there`);
      await builtProvider(name);
      there.push(name);
    } catch (error) {
      tell(`hashicorp/${name}: ${error instanceof Error ? error.message : error}`);
      notes.push(`hashicorp/${name} is left out: it could not be built here.`);
    }
  }
  return { there, notes };
}

const suffix = (stage: Stage, node: NodeProgram) =>
  node === stage.nodes[0] ? "" : ` (Node.js ${node.version})`;

/** Measures a plan with 1, 10 and 100 tokens of one credential. */
export async function measurePlans(stage: Stage): Promise<Section[]> {
  const { there, notes } = await otherProviders(stage);
  const attached = new Map<NodeProgram | "null", AttachedProvider>();
  try {
    for (const node of stage.nodes) attached.set(node, await startAttached(stage, node));
    if (there.includes("null")) attached.set("null", await startAttachedNull(stage));
    const sections: Section[] = [];
    for (const tokens of [1, 10, 100]) {
      const outcomes = await stage.measure(
        `plan, tokens: ${tokens}`,
        await contestants(stage, tokens, there, attached),
      );
      sections.push({
        title: `terraform plan, ${tokens} token${tokens === 1 ? "" : "s"}`,
        outcomes,
        floor: NONE,
        notes,
        figures: figuresOf(outcomes, tokens, there),
        costs: COSTS[tokens] ?? [],
      });
    }
    return sections;
  } finally {
    for (const provider of attached.values()) await provider.stop();
  }
}

async function contestants(
  stage: Stage,
  tokens: number,
  there: readonly GoProviderName[],
  attached: ReadonlyMap<NodeProgram | "null", AttachedProvider>,
): Promise<Contestant[]> {
  const { authUrl } = stage.identity;
  const made = async (name: string, folder: string, means: Means, options: PlanOptions = {}) => {
    const text = configuration(means, tokens, authUrl);
    return planOf(
      stage,
      name,
      await planFolder(stage, `${folder}-${tokens}`, text, means, options),
      options,
    );
  };
  const all = [await made(NONE, "none", "none")];
  for (const [index, node] of stage.nodes.entries()) {
    const { env } = node;
    const after = suffix(stage, node);
    const reattach = { ...env, ...attached.get(node)?.env };
    all.push(
      await made(ATTACHED + after, `attached-${index}`, "iam", { env: reattach }),
      await made(LAUNCHED + after, `launched-${index}`, "iam", { env }),
      await made(LAUNCHED_OFF + after, `off-${index}`, "iam", {
        env: { ...env, IAM_TOKENS_HANDOVER: "0" },
      }),
    );
  }
  for (const name of there) all.push(await made(OTHERS[name], name, name));
  const attachedNull = attached.get("null");
  if (attachedNull !== undefined)
    all.push(await made(NULL_ATTACHED, "null-attached", "null", { env: attachedNull.env }));
  return all;
}

function figuresOf(
  outcomes: readonly Outcome[],
  tokens: number,
  there: readonly GoProviderName[],
): Figure[] {
  const http = there.includes("http");
  if (tokens === 1) {
    return [
      ratioFigure(
        "attached: plan with 1 token / plan with no provider",
        1.3,
        outcomes,
        ATTACHED,
        NONE,
      ),
      ...(http
        ? [
            ratioFigure(
              "launched: plan with 1 token / hashicorp/http with 1",
              0.8,
              outcomes,
              LAUNCHED,
              HTTP,
            ),
          ]
        : []),
    ];
  }
  if (tokens !== 100) return [];
  const requests = outcomeOf(outcomes, LAUNCHED).requests ?? Number.NaN;
  return [
    ...(http
      ? [
          ratioFigure(
            "attached: plan with 100 tokens / hashicorp/http with 100",
            0.35,
            outcomes,
            ATTACHED,
            HTTP,
          ),
          ratioFigure(
            "launched: plan with 100 tokens / hashicorp/http with 100",
            0.5,
            outcomes,
            LAUNCHED,
            HTTP,
          ),
        ]
      : []),
    numberFigure(
      "launched: requests for 100 references to one credential in a plan",
      1,
      requests,
      "requests",
    ),
  ];
}

const ALIASES = 3;

/** Measures a plan with three provider blocks. */
export async function measureAliases(stage: Stage): Promise<Section[]> {
  const { there, notes } = await otherProviders(stage);
  const { authUrl } = stage.identity;
  const all: Contestant[] = [];
  const add = async (name: string, text: string, means: Means, options: PlanOptions = {}) =>
    void all.push(
      planOf(
        stage,
        name,
        await planFolder(stage, `aliases-${all.length}`, text, means, options),
        options,
      ),
    );
  await add(NONE, configuration("none", ALIASES, authUrl), "none");
  for (const node of stage.nodes) {
    const text = aliases("iam", ALIASES, authUrl);
    const after = suffix(stage, node);
    await add(LAUNCHED + after, text, "iam", { env: node.env });
    await add(ALIASES_OFF + after, text, "iam", {
      env: { ...node.env, IAM_TOKENS_HANDOVER: "0" },
    });
  }
  if (there.includes("http")) {
    await add(HTTP, configuration("http", ALIASES, authUrl), "http");
    await add(`${HTTP}, in three blocks too`, aliases("http", ALIASES, authUrl), "http");
  }
  const outcomes = await stage.measure("plan, three provider blocks", all);
  const what = "launched: plan with three aliases and 3 tokens / hashicorp/http with 3";
  return [
    {
      title: "terraform plan, three provider blocks with a token each",
      outcomes,
      floor: NONE,
      notes,
      figures: there.includes("http") ? [ratioFigure(what, 0.8, outcomes, LAUNCHED, HTTP)] : [],
    },
  ];
}
