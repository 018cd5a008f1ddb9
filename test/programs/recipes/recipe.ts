import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXAMPLES } from "../../scenarios/example-runs";
import type { Scenario } from "../../scenarios/scenario";
import { type CommandResult, startCommand } from "../../support/command";
import { commandLine, runCdktf } from "../../support/framework";
import { makeProject, packageRoot } from "../../support/project";
import { FRAMEWORK, inTerrain } from "../../support/terrain";

/** What the pages install. */
const PACKAGES = ["cdktf", "constructs", "tsx", "@types/node"];

type Env = Readonly<Record<string, string>>;

/** A recipe in its own project, as after a user's `npm install`. */
export interface Recipe {
  readonly folder: string;
  /** Where Terraform runs for a stack. */
  stackFolder(stack: string): string;
  /** Runs the framework's command line; a failure is an error that shows what was printed. */
  cdktf(args: readonly string[], env?: Env): Promise<CommandResult>;
  /** Runs a script of bash, as `cdktf` does. */
  bash(script: string, env?: Env): Promise<CommandResult>;
  remove(): void;
}

/**
 * Copies a recipe, has `cdktf get` generate the bindings that it imports, and compiles it. In the
 * groups of CDK Terrain its programs import that framework, as the recipe's page says.
 *
 * @param env Of each command, with what leads to providers.
 */
export async function openRecipe(
  { scratch }: Scenario,
  name: string,
  env: Env = {},
): Promise<Recipe> {
  const from = join(EXAMPLES, name);
  const names = readdirSync(from);
  const project = makeProject({ app: "", packages: PACKAGES });
  cpSync(from, project.folder, { recursive: true });
  if (FRAMEWORK === "cdktn") {
    for (const file of names.filter((name) => name.endsWith(".ts"))) {
      const program = readFileSync(join(from, file), "utf8");
      writeIn(project.folder, file, inTerrain(program));
    }
  }
  const checked = (what: string, result: CommandResult) => {
    if (result.exitCode !== 0)
      throw new Error(`${name}: ${what} ended with ${result.exitCode}:\n${result.text}`);
    return result;
  };
  const everywhere: Env = { TSX_DISABLE_CACHE: "1", CDKTF_DISABLE_PLUGIN_CACHE_ENV: "1", ...env };
  const recipe: Recipe = {
    folder: project.folder,
    stackFolder: project.stackFolder,
    async cdktf(args, more = {}) {
      const result = await runCdktf(project.folder, args, {
        scratch,
        env: { ...everywhere, ...more },
      });
      return checked(`cdktf ${args.join(" ")}`, result);
    },
    async bash(script, more = {}) {
      const options = {
        cwd: project.folder,
        env: {
          ...scratch.env,
          PATH: `${dirname(commandLine()[0])}:${join(packageRoot, "node_modules/.bin")}:${scratch.env.PATH}`,
          CHECKPOINT_DISABLE: "1",
          ...everywhere,
          ...more,
        },
      };
      return checked(script, await startCommand("bash", ["-ec", script], options).finished);
    },
    remove: project.remove,
  };
  try {
    const { terraformProviders } = JSON.parse(readFileSync(join(from, "cdktf.json"), "utf8"));
    if (terraformProviders.length > 0) await recipe.cdktf(["get"]);
    // The app compiles its own program only.
    const files = names.filter((file) => file.endsWith(".ts"));
    const all = JSON.stringify({ extends: "./tsconfig.json", files });
    writeIn(project.folder, "tsconfig.all.json", all);
    await recipe.bash("tsc -p tsconfig.all.json");
    return recipe;
  } catch (error) {
    project.remove();
    throw error;
  }
}

/** Writes a file of the project, with its folders. */
export function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
