import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../../lib";
import { packageVersion } from "../../../lib/delivery/package-root";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { makeScratch, type Scratch } from "../../support/scratch";
import { synthApp } from "../../support/synth";
import { cli } from "../run-cli";

export const PASSWORD = "canary-password-of-the-doctor";
const ACCOUNT = "123456";

/** A healthy project of two stacks with an identity service, for a test to break. */
export class Project {
  #texts: ReadonlyMap<string, string> = new Map();

  private constructor(
    readonly scratch: Scratch,
    readonly identity: EmbeddedIdentityService,
  ) {}

  static async start(): Promise<Project> {
    const permission = { account: true, projects: ["web"] };
    const serviceUsers = [{ name: "deployer", password: PASSWORD, permission }];
    const project = new Project(
      makeScratch(),
      await EmbeddedIdentityService.start({ accountId: ACCOUNT, serviceUsers }),
    );
    project.write("project/cdktf.json", "{}");
    synthApp(
      (app) => {
        for (const name of ["api", "web"]) {
          const stack = new TerraformStack(app, name);
          const identity = new IdentityService(stack, "identity", {
            authUrl: project.identity.authUrl,
            accountId: ACCOUNT,
            serviceUser: { name: "deployer", password: SecretRef.env("PW") },
          });
          new ServiceUserToken(stack, "token", { identity, scope: TokenScope.project("web") });
        }
      },
      { outdir: project.path("project/cdktf.out") },
    );
    project.#texts = new Map(
      ["api", "web"].flatMap((name) =>
        ["cdk.tf.json", ".terraform.lock.hcl"].map((file) => {
          const path = project.stack(name, file);
          return [path, readFileSync(path, "utf8")] as const;
        }),
      ),
    );
    project.mend();
    return project;
  }

  /** Makes it healthy again. */
  mend(): void {
    rmSync(this.path("bin"), { recursive: true, force: true });
    this.write("project/cdktf.json", "{}");
    this.terraform("exit 0");
    for (const [path, text] of this.#texts) {
      rmSync(path, { force: true });
      writeFileSync(path, text);
    }
  }

  path(name: string): string {
    return join(this.scratch.folder, name);
  }

  stack(name: string, file = ""): string {
    return this.path(join("project/cdktf.out/stacks", name, file));
  }

  /** Changes a file of both stacks. */
  edit(file: string, change: (text: string) => string): void {
    for (const name of ["api", "web"]) {
      const text = readFileSync(this.stack(name, file), "utf8");
      expect(change(text)).not.toBe(text);
      writeFileSync(this.stack(name, file), change(text));
    }
  }

  write(name: string, text: string, mode = 0o644): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text, { mode });
    return this.path(name);
  }

  /** Puts a program in the place of Terraform, with a script for `init` and `validate`. */
  terraform(script: string, version = "echo Terraform v1.11.4"): void {
    const cases = `case $1 in\nversion) ${version} ;;\n*) ${script} ;;\nesac`;
    this.write("bin/terraform", `#!/bin/sh\n${cases}\n`, 0o755);
  }

  get vars(): Readonly<Record<string, string>> {
    const PATH = `${this.path("bin")}:${process.env.PATH}`;
    return { ...this.scratch.env, PATH, PW: PASSWORD };
  }

  /** The doctor's lines, without the good and the skipped ones, as `check status: text -> remedy`. */
  async faults(
    args: readonly string[] = [],
    vars: Readonly<Record<string, string>> = {},
    now = Date.now,
  ): Promise<readonly string[]> {
    const found = await this.findings(args, vars, now);
    return found
      .filter(({ status }) => status === "failed" || status === "warning")
      .map(({ check, status, text, remedy }) => `${check} ${status}: ${text} -> ${remedy}`);
  }

  async findings(
    args: readonly string[] = [],
    vars: Readonly<Record<string, string>> = {},
    now = Date.now,
  ): Promise<readonly Record<"check" | "status" | "text" | "remedy", string>[]> {
    const { exitCode, stdout, stderr } = await this.run([...args, "--json"], vars, now);
    expect(stderr).toBe("");
    const found = JSON.parse(stdout);
    const failed = found.some(({ status }: { status: string }) => status === "failed");
    expect(exitCode).toBe(failed ? 1 : 0);
    return found;
  }

  async run(args: readonly string[], vars: Readonly<Record<string, string>> = {}, now = Date.now) {
    const result = await cli(["doctor", ...args], {
      version: packageVersion(),
      env: { ...this.vars, ...vars },
      workingFolder: this.path("project"),
      now,
    });
    expect(result.stdout + result.stderr).not.toContain("canary");
    return result;
  }

  async stop(): Promise<void> {
    await this.identity.stop();
    expect(this.scratch.leftovers()).toEqual([]);
    this.scratch.remove();
  }
}
