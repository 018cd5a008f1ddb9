/**
 * The stage of the scenarios of rotations: an identity service and a provider that go by one clock,
 * which the test moves. The provider runs in the test and Terraform attaches to it; a launched one
 * goes by the machine's clock, and nothing outside of its process can move that.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AttachedServer, serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { createIamProvider, type IamProvider } from "../../../lib/provider/iam-provider";
import { PROVIDER_SOURCE } from "../../../lib/provider/names";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "../../../lib/testing";
import type { CommandResult } from "../../support/command";
import { makeScratch, type Scratch } from "../../support/scratch";
import { startTerraform } from "../../support/terraform";
import { sourceOf } from "../consumers";
import { providerBlock, writeModule } from "../plain-module";
import { storeProvider } from "../store/store-provider";

export const HOUR = 3_600_000;
export const PASSWORD = "canary-password-of-rotation";
const START = Date.parse("2026-03-01T00:00:00Z");

export interface Instance {
  readonly schema_version: number;
  readonly status?: string;
  readonly private?: string;
  readonly attributes: Readonly<Record<string, unknown>> & {
    readonly rotation: number;
    readonly id: string;
  };
}

export class RotationStage {
  /** Of both clocks; the service's alone is off by `serviceAhead`. */
  now = START;
  serviceAhead = 0;
  readonly #scratch: Scratch = makeScratch();
  readonly folder: string;
  /**
   * Environment of the attached provider. It is read at each operation: a test can play another
   * pipeline.
   */
  readonly variables: Record<string, string> = { SERVICE_USER_PASSWORD: PASSWORD };
  #seen = 0;

  private constructor(
    readonly identity: EmbeddedIdentityService,
    private readonly server: AttachedServer,
    private readonly store: AttachedServer,
    private readonly provider: IamProvider,
  ) {
    this.folder = mkdtempSync(join(this.#scratch.folder, "stack-"));
  }

  static async open(
    config: Partial<EmbeddedIdentityConfig> = {},
    options: Pick<EmbeddedIdentityOptions, "intercept"> = {},
  ): Promise<RotationStage> {
    let stage: RotationStage | undefined;
    const now = () => stage?.now ?? START;
    const permission = { account: true, projects: ["web", "shop"] };
    const identity = await EmbeddedIdentityService.start(
      {
        accountId: "123456",
        serviceUsers: ["deployer", "other"].map((name) => ({
          name,
          password: PASSWORD,
          permission,
        })),
        ...config,
      },
      { ...options, now: () => now() + (stage?.serviceAhead ?? 0) },
    );
    const variables = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => stage?.variables[String(name)],
        has: (_, name) => stage !== undefined && name in stage.variables,
        ownKeys: () => Object.keys(stage?.variables ?? {}),
        getOwnPropertyDescriptor: (_, name) =>
          stage !== undefined && Object.hasOwn(stage.variables, name)
            ? { value: stage.variables[String(name)], enumerable: true, configurable: true }
            : undefined,
      },
    );
    const context = { variables, workingFolder: "/", attached: true };
    const access = createIdentityAccess(context, () => ({ now, limits: { totalMs: 0 } }));
    const provider = createIamProvider({ processContext: context, identity: access, now });
    const server = await serveAttached(provider);
    stage = new RotationStage(identity, server, await serveAttached(storeProvider), provider);
    return stage;
  }

  /**
   * Writes the stack's configuration, with a provider block whose user and address may be others.
   */
  write(
    body: string,
    { user = "deployer", authUrl = this.identity.authUrl, block = true } = {},
  ): void {
    const provider = block ? providerBlock(authUrl, { user }) : "";
    writeModule(this.folder, `${provider}${body}`, "store");
  }

  run(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
    const attached = {
      TF_REATTACH_PROVIDERS: JSON.stringify({
        [PROVIDER_SOURCE]: this.server.reattach,
        [sourceOf("store")]: this.store.reattach,
      }),
    };
    return startTerraform(this.folder, [...args, "-no-color"], {
      scratch: this.#scratch,
      env: { ...attached, ...env },
    }).finished;
  }

  /** As `run`; what was printed, on one line. A failure is an error that shows it. */
  async succeed(...args: readonly string[]): Promise<string> {
    const result = await this.run(args);
    if (result.exitCode !== 0)
      throw new Error(`${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
    return onOneLine(result.text);
  }

  async fail(...args: readonly string[]): Promise<string> {
    const result = await this.run(args);
    if (result.exitCode !== 1)
      throw new Error(`${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
    return onOneLine(result.text);
  }

  apply(...more: readonly string[]): Promise<string> {
    return this.succeed("apply", "-auto-approve", ...more);
  }

  /** Tokens requested since the last look. */
  requests(): number {
    const all = this.identity.journal.filter(({ method }) => method === "POST").length;
    const fresh = all - this.#seen;
    this.#seen = all;
    return fresh;
  }

  state(): string {
    return readFileSync(join(this.folder, "terraform.tfstate"), "utf8");
  }

  instance(type = "iam_token"): Instance {
    const resource = JSON.parse(this.state()).resources.find(
      (each: { type: string; mode: string }) => each.type === type,
    );
    // Their order says nothing: see `meaning`.
    const { sensitive_attributes: _, ...instance } = resource.instances[0];
    return instance;
  }

  /**
   * The state as it says something: without its serial and the order of the sensitive attributes.
   * Terraform 1.11 writes that order as chance has it, and so a new state, with nothing else
   * changed, where a resource has two of them.
   */
  meaning(): unknown {
    const { serial: _, ...state } = JSON.parse(this.state());
    for (const { instances } of state.resources) {
      for (const instance of instances) instance.sensitive_attributes?.sort(byText);
    }
    return state;
  }

  /** Changes the state by hand. */
  edit(
    attributes: Record<string, unknown>,
    more: Record<string, unknown> = {},
    type = "iam_token",
  ): void {
    const state = JSON.parse(this.state());
    const { instances } = state.resources.find((each: { type: string }) => each.type === type);
    Object.assign(instances[0].attributes, attributes);
    Object.assign(instances[0], more);
    writeFileSync(join(this.folder, "terraform.tfstate"), JSON.stringify(state));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** An empty folder with the state of this stack and nothing else. */
  freshCheckout(): void {
    const state = this.state();
    rmSync(this.folder, { recursive: true });
    mkdirSync(this.folder);
    writeFileSync(join(this.folder, "terraform.tfstate"), state);
  }

  async close(): Promise<void> {
    await Promise.all([this.server.close(), this.store.close()]);
    await this.provider.close();
    await this.identity.stop();
    this.#scratch.remove();
  }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function onOneLine(text: string): string {
  return text.replace(/[│╷╵\s]+/g, " ");
}
