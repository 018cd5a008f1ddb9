import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const fromHere = createRequire(__filename);
const CDKTF = join(dirname(fromHere.resolve("cdktf-cli/package.json")), "bundle/bin/cdktf");

/** First line of `terraform version`, or undefined when there is no Terraform or OpenTofu. */
export function terraformVersion(): string | undefined {
  const { status, stdout } = spawnSync(terraformBinary(), ["version"], {
    cwd: tmpdir(),
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
  return status === 0 ? stdout.split("\n")[0] : undefined;
}

function terraformBinary(): string {
  return process.env.TERRAFORM_BINARY_NAME || "terraform";
}

/** A folder with a cdktf.json that runs the quick start, and the real cdktf in it. */
export class DemoProject {
  readonly folder = mkdtempSync(join(tmpdir(), "iam-tokens-demo-"));
  /** Everything that the commands printed. */
  printed = "";
  readonly #env: Record<string, string>;

  constructor(variables: Readonly<Record<string, string>>) {
    const quickStart = resolve(__dirname, "../quick-start/main.ts");
    const tsx = pathToFileURL(fromHere.resolve("tsx")).href;
    const app = `"${process.execPath}" --import "${tsx}" "${quickStart}"`;
    const home = join(this.folder, "home");
    mkdirSync(home);
    writeFileSync(join(this.folder, "cdktf.json"), JSON.stringify({ language: "typescript", app, sendCrashReports: "false" }));
    // Of this machine's environment only what finds programs: so the demo shows the same everywhere.
    this.#env = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? home,
      TMPDIR: home,
      CDKTF_HOME: home,
      // Otherwise cdktf makes a cache of plugins in the home folder, and a link to this folder would stay in it.
      CDKTF_DISABLE_PLUGIN_CACHE_ENV: "1",
      CI: "1",
      ...variables,
    };
    for (const name of ["TERRAFORM_BINARY_NAME", "SystemRoot", "ASDF_DIR", "TFENV_ROOT"]) {
      const value = process.env[name];
      if (value !== undefined) this.#env[name] = value;
    }
    this.#env.CHECKPOINT_DISABLE = "1";
    this.#env.TSX_DISABLE_CACHE = "1";
    this.#env.TF_CLI_CONFIG_FILE = join(this.folder, "terraform.rc");
    writeFileSync(this.#env.TF_CLI_CONFIG_FILE, "");
  }

  /** Runs cdktf to its end and gives what it printed; what goes wrong is shown whole. */
  async cdktf(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [CDKTF, ...args], {
      cwd: this.folder,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    const code = await new Promise((done, failed) => child.once("error", failed).once("close", done));
    this.printed += text;
    if (code !== 0) throw new Error(`cdktf ${args.join(" ")} ended with ${code}:\n${text}`);
    return text;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
