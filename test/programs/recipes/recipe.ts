import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { EXAMPLES } from "../../scenarios/example-runs";
import type { Scenario } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { blocksOf } from "../../support/pages";
import { makeProject } from "../../support/project";
import { FRAMEWORK } from "../../support/terrain";
import { shellIn } from "../user-project";

type Env = Readonly<Record<string, string>>;

/** A recipe in its own project, as after a user's `npm install`. */
export interface Recipe {
  readonly folder: string;
  /** The blocks of commands in its README.md, without the installation. */
  readonly commands: readonly string[];
  /** Runs a script of bash; a failure is an error that shows what was printed. */
  bash(script: string, env?: Env): Promise<string>;
  /** Nothing that the project has, or that was printed, holds the password or a token. */
  expectNoSecret(): void;
  remove(): void;
}

/**
 * Copies a recipe. In the groups of CDK Terrain, its program and its commands are that framework's,
 * as the recipe's page says.
 *
 * @param env Of each script.
 */
export function openRecipe(stage: Scenario, name: string, env: Env): Recipe {
  const from = join(EXAMPLES, name);
  const { folder, remove } = makeProject({
    app: "",
    files: Object.fromEntries(
      readdirSync(from).map((file) => [file, readFileSync(join(from, file), "utf8")]),
    ),
    packages: ["cdktf", "constructs", "tsx", "@types/node"],
  });
  const { secrets, identity, password, staticToken } = stage;
  const shell = shellIn(folder, stage);
  let printed = "";
  return {
    folder,
    commands: blocksOf(`examples/${name}/README.md`, "sh").map(({ text }) =>
      text.replace(/^npm .*\n/gm, "").replaceAll("cdktf", FRAMEWORK),
    ),
    async bash(script, more) {
      const { exitCode, text } = await startCommand("bash", ["-ec", script], {
        cwd: folder,
        env: {
          ...shell,
          CDKTF_DISABLE_PLUGIN_CACHE_ENV: "1",
          AUTH_URL: identity.authUrl,
          ...secrets,
          ...env,
          ...more,
        },
        timeoutMs: 240_000,
      }).finished;
      if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}:\n${text}`);
      printed += text;
      return text;
    },
    expectNoSecret() {
      const tokens = Object.fromEntries(identity.issuedTokens().entries());
      const canaries = { password, staticToken, ...tokens };
      const report = scanForLeaks({ canaries, folders: [folder], texts: { printed } });
      expect([...report.findings, ...report.notScanned]).toEqual([]);
    },
    remove,
  };
}
