import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const fromHere = createRequire(__filename);
const CLI = fromHere.resolve("cdktf-cli/package.json");
const { bin } = fromHere(CLI) as { readonly bin: { readonly cdktf: string } };
const CDKTF = join(dirname(CLI), bin.cdktf);

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

/**
 * A user's project in a temporary folder, and the commands that are run in it: the real cdktf, the
 * real Terraform.
 */
export class DemoProject {
  // The real path: Terraform reports that one, wherever the temporary folder links to.
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-tokens-demo-")));
  /**
   * The whole environment of the commands: of this machine's only what finds programs. This makes
   * the demo the same on every machine.
   */
  readonly environment: Record<string, string>;
  /** Everything that the commands printed. */
  printed = "";

  constructor(variables: Readonly<Record<string, string>>) {
    const home = join(this.folder, "home");
    mkdirSync(home);
    const configuration = join(this.folder, "terraform.rc");
    writeFileSync(configuration, "");
    this.environment = {
      PATH: [resolve(__dirname, "../../node_modules/.bin"), process.env.PATH ?? ""].join(delimiter),
      HOME: process.env.HOME ?? home,
      TMPDIR: home,
      CDKTF_HOME: home,
      // Otherwise cdktf makes a cache of plugins in the home folder, and a link to this folder
      // would stay in it.
      CDKTF_DISABLE_PLUGIN_CACHE_ENV: "1",
      CI: "1",
      CHECKPOINT_DISABLE: "1",
      TSX_DISABLE_CACHE: "1",
      TF_CLI_CONFIG_FILE: configuration,
      ...variables,
    };
    for (const name of ["TERRAFORM_BINARY_NAME", "SystemRoot", "ASDF_DIR", "TFENV_ROOT"]) {
      const value = process.env[name];
      if (value !== undefined) this.environment[name] = value;
    }
    this.useApp("");
  }

  /**
   * Makes cdktf run a program of this package; by default there is none, and only commands with
   * `--skip-synth` work.
   */
  useApp(file: string): void {
    const tsx = pathToFileURL(fromHere.resolve("tsx")).href;
    const app = file === "" ? "false" : `"${process.execPath}" --import "${tsx}" "${file}"`;
    writeFileSync(
      join(this.folder, "cdktf.json"),
      JSON.stringify({ language: "typescript", app, sendCrashReports: "false" }),
    );
  }

  /** The folder that Terraform runs in for a stack, relative to the project. */
  stackFolder(stack: string): string {
    return join("cdktf.out/stacks", stack);
  }

  cdktf(...args: string[]): Promise<string> {
    return this.run(process.execPath, [CDKTF, ...args], { shown: `cdktf ${args.join(" ")}` });
  }

  /** Runs Terraform, or OpenTofu, in a folder of the project. */
  terraform(
    folder: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    return this.run(terraformBinary(), args, {
      folder,
      environment,
      shown: `terraform ${args.join(" ")}`,
    });
  }

  /** `terraform init`, then `terraform apply`. */
  async apply(folder: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.terraform(folder, ["init"], environment);
    await this.terraform(folder, ["apply", "-auto-approve"], environment);
  }

  /**
   * Runs a command to its end and gives its standard output; a failure has the command's whole
   * output.
   */
  async run(
    file: string,
    args: readonly string[],
    { folder = ".", environment = {}, shown = file }: RunOptions = {},
  ): Promise<string> {
    const child = spawn(file, args, {
      cwd: join(this.folder, folder),
      env: { ...this.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const texts = { stdout: "", both: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        texts.both += chunk;
        if (name === "stdout") texts.stdout += chunk;
      });
    }
    const code = await new Promise((done, failed) =>
      child.once("error", failed).once("close", done),
    );
    this.printed += texts.both;
    if (code !== 0) throw new Error(`${shown} ended with ${code}:\n${texts.both}`);
    return texts.stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface RunOptions {
  /** Within the project. Default: its top. */
  readonly folder?: string;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The name of the command in errors. */
  readonly shown?: string;
}
