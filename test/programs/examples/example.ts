import { scanForLeaks } from "../../../lib/testing";
import { lineOf } from "../../../lib/testing/keystone/journal";
import type { Scenario } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { blocksOf } from "../../support/pages";
import { makeProject } from "../../support/project";
import { FRAMEWORK } from "../../support/terrain";
import { shellIn } from "../user-project";

type Env = Readonly<Record<string, string>>;

/** An example in an otherwise empty folder, as after a user's `npm install`. */
export type Example = Awaited<ReturnType<typeof openExample>>;

/**
 * Copies an example by the command of examples/README.md. In the groups of CDK Terrain, it comes
 * from that framework's package, and its commands are that framework's.
 *
 * @param env Of each script.
 */
export async function openExample(
  stage: Pick<Scenario, "scratch" | "identity" | "password" | "staticToken">,
  name: string,
  env: Env,
) {
  const { identity, password, staticToken } = stage;
  const { folder, remove } = makeProject({
    app: "",
    packages: [
      ...["cdktf", "constructs", "@cdktf/provider-null", "tsx", "typescript", "@types/node"],
      ...["undici-types", "jest", "@types/jest", "@swc/core", "@swc/jest"],
    ],
  });
  const shell = shellIn(folder, stage);
  let printed = "";
  const inTerrain = (text: string) => text.replaceAll("cdktf", FRAMEWORK);
  /** Runs a script of bash; a failure is an error that shows what was printed. */
  const bash = async (script: string, more: Env = {}): Promise<string> => {
    const { exitCode, text } = await startCommand("bash", ["-ec", script], {
      cwd: folder,
      env: {
        ...{ ...shell, CDKTF_DISABLE_PLUGIN_CACHE_ENV: "1", AUTH_URL: identity.authUrl },
        ...{ SERVICE_USER_PASSWORD: password, STATIC_TOKEN: staticToken, ...env, ...more },
      },
      timeoutMs: 240_000,
    }).finished;
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}:\n${text}`);
    printed += text;
    return text;
  };
  const copy = blocksOf("examples/README.md", "sh")[0]?.text.match(/^cp .*$/m)?.[0] ?? "";
  await bash(inTerrain(copy).replaceAll("NAME", name));
  return {
    folder,
    /** The blocks of commands in its README.md, without the installation. */
    commands: blocksOf(`examples/${name}/README.md`, "sh").map(({ text }) =>
      inTerrain(text.replace(/^npm .*\n/gm, "")),
    ),
    bash,
    /** What the commands have printed. */
    printed: () => printed,
    /** The same, and what an identity server would print, in lines. */
    lines: () =>
      [...printed.split("\n"), ...identity.journal.map(lineOf)].map((line) =>
        // Without the stack's name, and without times.
        line
          .replace(/^[\w-]+ {2}/, "")
          .replace(/\s+\(\d+ ms\)$/, "")
          .trim(),
      ),
    /** The files of the project, and "printed", that hold the password or a token. */
    leaks() {
      const tokens = Object.fromEntries(identity.issuedTokens().entries());
      const canaries = { password, staticToken, ...tokens };
      const report = scanForLeaks({ canaries, folders: [folder], texts: { printed } });
      return [...report.findings, ...report.notScanned].map(({ where }) => where);
    },
    remove,
  };
}
