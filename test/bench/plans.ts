import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { hasGo } from "../support/go-build";
import { builtProvider, installProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { runTerraform, terraformEnvironment } from "../support/terraform";
import { configuration, type Means } from "./configuration";
import type { Contestant } from "./pairs";
import type { Comparison } from "./report";
import { PASSWORD, PASSWORD_VARIABLE, type Stage } from "./stage";

export const commandOf = (root: string) => join(root, "dist/cli/main.js");
export const IAM_TOKENS = commandOf(packageRoot);

/** The same request, by the data source of somebody else's provider, which is written in Go. */
const HTTP = "hashicorp/http";

/** Whole plans with 1 and 100 tokens of one credential. */
export async function measurePlans(stage: Stage): Promise<Comparison[]> {
  const peer = await hasHttp();
  const attached = await startAttached(stage);
  try {
    const comparisons: Comparison[] = [];
    for (const tokens of [1, 100]) {
      const what = `\`terraform plan\`, ${tokens} token${tokens === 1 ? "" : "s"}`;
      const made = (name: string, means: Means, env: Readonly<Record<string, string>> = {}) =>
        planning(stage, { name, means, tokens, env });
      const contestants = [
        await made("none", "none"),
        await made(what, "iam"),
        ...(tokens === 1
          ? [
              await made("the same without the hand-over, as on macOS and Windows", "iam", {
                IAM_TOKENS_HANDOVER: "0",
              }),
            ]
          : []),
        await made(
          `a later plan under \`iam-tokens run\`, ${tokens} token${tokens === 1 ? "" : "s"}`,
          "iam",
          attached.env,
        ),
        ...(peer ? [await made(HTTP, "http")] : []),
      ];
      const outcomes = await stage.measure(what, contestants);
      comparisons.push({ floor: "none", outcomes, ...(peer && { peer: HTTP }) });
    }
    return comparisons;
  } finally {
    await attached.stop();
  }
}

export interface Plan {
  readonly name: string;
  readonly means: Means;
  readonly tokens: number;
  /** Added to the environment of `init` and `plan`. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder `terraform.d` with the provider; by default that of this checkout. */
  readonly plugins?: string;
}

/** Makes a folder ready. Ours is found where synthesis puts it. */
export async function planning(
  stage: Stage,
  { name, means, tokens, env, plugins = stage.plugins }: Plan,
): Promise<Contestant> {
  const folder = join(stage.scratch.folder, "plans", `${tokens}`, name.replaceAll(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.tf"), configuration(means, tokens, stage.identity.authUrl));
  if (means === "iam") symlinkSync(plugins, join(folder, "terraform.d"));
  if (means === "http") await installProvider(folder, "http");
  const terraform = async (command: string) => {
    const { exitCode, durationMs, text } = await runTerraform(folder, [command], {
      scratch: stage.scratch,
      env: { [PASSWORD_VARIABLE]: PASSWORD, ...env },
    });
    if (exitCode !== 0) throw new Error(`terraform ${command}: ${text.slice(0, 4_000)}`);
    return durationMs;
  };
  await terraform("init");
  return { name, run: () => terraform("plan") };
}

/** The first call on a machine builds it, in up to a minute. */
async function hasHttp(): Promise<boolean> {
  try {
    if (!hasGo()) throw new Error("there is no Go to build it with");
    await builtProvider("http");
    return true;
  } catch (error) {
    console.error(`${HTTP} is left out: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** A provider that `iam-tokens run` keeps for a pipeline. */
export async function startAttached({ scratch }: Stage, root = packageRoot) {
  const command = ["sh", "-c", `printf '%s\\n' "$TF_REATTACH_PROVIDERS"; exec sleep 86400`];
  const running = startCommand(
    process.execPath,
    [commandOf(root), "run", "--quiet", "--", ...command],
    {
      cwd: scratch.folder,
      env: { ...terraformEnvironment(scratch), [PASSWORD_VARIABLE]: PASSWORD },
      timeoutMs: 86_400_000,
    },
  );
  await running.printed(/\n/);
  return {
    env: { TF_REATTACH_PROVIDERS: running.text().trim() },
    async stop() {
      running.signalGroup("SIGTERM");
      await running.finished;
    },
  };
}
