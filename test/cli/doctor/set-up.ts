import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TerraformStack } from "cdktf";
import {
  type IdentityService,
  SecretRef,
  IdentityService as Service,
  ServiceUserToken,
  TokenScope,
} from "../../../lib";
import type { CliContext } from "../../../lib/cli/cli-context";
import { packageVersion } from "../../../lib/delivery/package-root";
import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "../../../lib/testing";
import { makeScratch, type Scratch } from "../../support/scratch";
import { synthApp } from "../../support/synth";
import { cli } from "../run-cli";

export const PASSWORD = "canary-password-of-the-doctor";
export const ACCOUNT = "123456";

/** Result of a run of the doctor. */
export interface Diagnosis {
  readonly exitCode: number;
  readonly text: string;
  readonly stderr: string;
  readonly findings: readonly Found[];
  /** The findings that are neither ok nor skipped. */
  readonly faults: readonly Found[];
}

export interface Found {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly remedy?: string;
}

/** A healthy project and its identity service, for a test to break. */
export class SetUp {
  private constructor(
    readonly scratch: Scratch,
    readonly identity: EmbeddedIdentityService,
  ) {}

  static async start(
    config: Partial<EmbeddedIdentityConfig> = {},
    options: EmbeddedIdentityOptions = {},
  ): Promise<SetUp> {
    const identity = await EmbeddedIdentityService.start(
      {
        accountId: ACCOUNT,
        serviceUsers: [
          {
            name: "deployer",
            password: PASSWORD,
            permission: { account: true, projects: ["web"] },
          },
        ],
        ...config,
      },
      options,
    );
    const setUp = new SetUp(makeScratch(), identity);
    setUp.write("project/cdktf.json", JSON.stringify({ language: "typescript", app: "true" }));
    setUp.write("project/password", `${PASSWORD}\n`, 0o600);
    setUp.terraform("Terraform v1.11.4");
    setUp.synth();
    return setUp;
  }

  get folder(): string {
    return join(this.scratch.folder, "project");
  }

  get stackFolder(): string {
    return join(this.folder, "cdktf.out/stacks/web");
  }

  get pluginFolder(): string {
    return join(this.stackFolder, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam");
  }

  synth(add: (stack: TerraformStack, identity: IdentityService) => void = () => {}): void {
    synthApp(
      (app) => {
        const stack = new TerraformStack(app, "web");
        const identity = new Service(stack, "identity", {
          authUrl: this.identity.authUrl,
          accountId: ACCOUNT,
          serviceUser: {
            name: "deployer",
            password: SecretRef.file(join(this.folder, "password")),
          },
        });
        new ServiceUserToken(stack, "token", { identity, scope: TokenScope.project("web") });
        add(stack, identity);
      },
      { outdir: join(this.folder, "cdktf.out") },
    );
  }

  /** Puts a program in the place of Terraform that prints the given text. */
  terraform(version: string, others = "exit 0"): void {
    this.write(
      "bin/terraform",
      `#!/bin/sh\ncase $1 in\nversion) echo '${version}' ;;\n*) ${others} ;;\nesac\n`,
      0o755,
    );
  }

  write(path: string, text: string, mode = 0o644): string {
    const file = join(this.scratch.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  }

  /** Runs the doctor, once for the lines and once for the findings. */
  async diagnose(
    given: readonly string[] = [],
    more: Partial<CliContext> & { readonly vars?: Record<string, string> } = {},
  ): Promise<Diagnosis> {
    const { vars, ...context } = more;
    const run = (argv: readonly string[]) =>
      cli(
        ["doctor", ...argv],
        {
          env: {
            ...this.scratch.env,
            PATH: `${this.scratch.folder}/bin:${process.env.PATH}`,
            ...vars,
          },
          workingFolder: this.folder,
          now: Date.now,
          ...context,
        },
        packageVersion(),
      );
    const lines = await run(given);
    if (lines.exitCode === 2)
      return { exitCode: 2, text: lines.stdout, stderr: lines.stderr, findings: [], faults: [] };
    const json = await run([...given, "--json"]);
    expect(lines.exitCode).toBe(/^failed /m.test(lines.stdout) ? 1 : 0);
    expect(lines.stdout + lines.stderr + json.stdout + json.stderr).not.toContain("canary");
    const findings = JSON.parse(json.stdout) as readonly Found[];
    expect(json.exitCode).toBe(findings.some(({ status }) => status === "failed") ? 1 : 0);
    return {
      exitCode: lines.exitCode,
      text: lines.stdout,
      stderr: lines.stderr,
      findings,
      faults: findings.filter(({ status }) => status === "failed" || status === "warning"),
    };
  }

  async stop(): Promise<void> {
    await this.identity.stop();
    rmSync(this.scratch.folder, { recursive: true, force: true });
  }
}
