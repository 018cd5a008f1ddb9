import { randomBytes } from "node:crypto";
import type { App } from "cdktf";
import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "../../lib/testing";
import type { CommandResult } from "../support/command";
import { stillRunning } from "../support/processes";
import { makeScratch, type Scratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { type SynthesizedApp, synthApp } from "../support/synth";
import { hasTerraform, noTerraform, runTerraform } from "../support/terraform";
import { type Consumers, serveConsumers } from "./consumers";
import { type Demand, ProductApi } from "./product-api";

// Several commands of Terraform a scenario; a machine may be slow.
jest.setTimeout(120_000);

export const ACCOUNT = "123456";

/** The stage of a scenario: one identity service, one product API, one scratch. */
export interface Scenario {
  readonly password: string;
  readonly staticToken: string;
  readonly identity: EmbeddedIdentityService;
  readonly api: ProductApi;
  readonly scratch: Scratch;
  /** The environment that holds the secrets. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Synthesizes into a folder that is removed at the end. */
  synth(build: (app: App) => void, outdir?: string): SynthesizedApp;
  /** Runs Terraform with the secrets in its environment, unless an option says otherwise. */
  terraform(
    folder: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<CommandResult>;
  /** As `terraform`; a failure is an error that shows what was printed. */
  succeed(
    folder: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<CommandResult>;
  /** How many tokens were requested since the last look. */
  requests(): number;
}

/**
 * How many requests an apply makes for one credential: on Linux plan and apply share a server, and
 * what it was given.
 */
export const REQUESTS_OF_APPLY = process.platform === "linux" ? 1 : 2;

export const DEMANDS: Readonly<Record<string, Demand>> = {
  "/account": { kind: "iam_token_account_scoped" },
  "/projects/web": { kind: "iam_token_project_scoped", project: "web" },
  "/projects/shop": { kind: "iam_token_project_scoped", project: "shop" },
  "/dns": { kind: "static_token" },
};

interface Openings {
  /** Whether stacks have the providers of product/ and store/. */
  readonly consumers?: boolean;
  readonly config?: Partial<EmbeddedIdentityConfig>;
  readonly options?: EmbeddedIdentityOptions;
}

/**
 * A group of scenarios with real Terraform. Each test gets a fresh stage; when it is over, nothing
 * may be left: no process with the stage's mark, no file in its temporary folder.
 */
export function scenarios(
  name: string,
  tests: (stage: () => Scenario) => void,
  openings: Openings = {},
): void {
  describeIf(hasTerraform(), noTerraform())(name, () => {
    let current: Scenario | undefined;
    let consumers: Consumers | undefined;
    const cleanUps: (() => void)[] = [];

    beforeAll(async () => {
      if (openings.consumers) consumers = await serveConsumers();
    });
    afterAll(async () => consumers?.close());

    beforeEach(async () => {
      current = await open(cleanUps, openings, consumers);
    });

    afterEach(async () => {
      if (current === undefined) return;
      const { identity, api, scratch } = current;
      current = undefined;
      await Promise.all([identity.stop(), api.stop()]);
      const processes = await stillRunning(scratch.marker);
      const files = scratch.leftovers();
      for (const cleanUp of cleanUps.splice(0)) cleanUp();
      scratch.remove();
      expect({ processes, files }).toEqual({ processes: [], files: [] });
    });

    tests(() => {
      if (current === undefined) throw new Error("The stage is there only inside a test.");
      return current;
    });
  });
}

async function open(
  cleanUps: (() => void)[],
  { config, options }: Openings,
  consumers: Consumers | undefined,
): Promise<Scenario> {
  const password = `canary-password-${randomBytes(12).toString("hex")}`;
  const staticToken = `canary-static-${randomBytes(12).toString("hex")}`;
  const identity = await EmbeddedIdentityService.start(
    {
      accountId: ACCOUNT,
      serviceUsers: [
        { name: "deployer", password, permission: { account: true, projects: ["web", "shop"] } },
      ],
      ...config,
    },
    options,
  );
  const api = await ProductApi.start({
    identity,
    accountId: ACCOUNT,
    staticTokens: [staticToken],
    demands: DEMANDS,
  });
  const own = makeScratch();
  const scratch = { ...own, env: { ...own.env, ...consumers?.env } };
  const secrets = { SERVICE_USER_PASSWORD: password, STATIC_TOKEN: staticToken };
  const terraform: Scenario["terraform"] = (folder, args, env = secrets) =>
    runTerraform(folder, args, { scratch, env });
  let seen = 0;
  return {
    password,
    staticToken,
    identity,
    api,
    scratch,
    secrets,
    synth(build, outdir) {
      const app = synthApp(build, outdir === undefined ? {} : { outdir });
      cleanUps.push(app.remove);
      return app;
    },
    terraform,
    async succeed(folder, args, env) {
      const result = await terraform(folder, args, env);
      if (result.exitCode !== 0)
        throw new Error(
          `terraform ${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`,
        );
      return result;
    },
    requests() {
      const all = identity.journal.filter(({ method }) => method === "POST").length;
      const fresh = all - seen;
      seen = all;
      return fresh;
    },
  };
}
