/**
 * The world of a scenario: an identity service, which also answers as a product API, an empty home
 * and temporary folder, and the real Terraform. CONTRIBUTING.md says what a scenario may assert.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type App, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import {
  IdentityService,
  type IdentityServiceProps,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenScope,
} from "../../lib";
import { deliverProvider } from "../../lib/delivery/lay-out";
import { serveAttached } from "../../lib/plugin/serve/serve-attached";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { createIdentityAccess } from "../../lib/provider/process/identity-access";
import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  type Intercept,
  scanForLeaks,
} from "../../lib/testing";
import { startCommand } from "../support/command";
import { isPart } from "../support/fuzz";
import { startIdentity } from "../support/identity-service";
import { stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { synthApp } from "../support/synth";
import {
  hasTerraform,
  noTerraform,
  startTerraform,
  terraformEnvironment,
} from "../support/terraform";
import { PRODUCT_SOURCE, serveProduct } from "./product";

// Several commands of Terraform a scenario; a machine may be slow.
jest.setTimeout(120_000);

export const ACCOUNT = "123456";
export const HOUR = 3_600_000;

/**
 * How many requests an apply makes for one credential: on Linux plan and apply share a server, and
 * what it was given.
 */
export const REQUESTS_OF_APPLY = process.platform === "linux" ? 1 : 2;

type Env = Readonly<Record<string, string>>;
type Outputs = Record<string, { readonly value: unknown; readonly sensitive: boolean }>;
/** Words of a command, or the command without quotes. */
type Words = string | readonly string[];
/** Builds a stack: each scenario contains only its own constructs. */
export type Build = (stack: TerraformStack) => void;

/** What a scenario has: see `open`. */
export type Scenario = Awaited<ReturnType<typeof open>>;

interface Openings {
  /** Whether stacks have the provider of product.ts. */
  readonly consumers?: boolean;
  /**
   * Whether the provider runs in the test, and goes by a clock that the test moves. A launched one
   * goes by the machine's, and nothing outside of its process can move that.
   */
  readonly clock?: boolean;
  readonly config?: Partial<EmbeddedIdentityConfig>;
  readonly options?: EmbeddedIdentityOptions;
}

/** What a scenario that has failed did: the service's journal, and Terraform's last output. */
function reportOf({ identity, secrets, last }: Scenario): string {
  const requests = identity.journal.map(
    ({ method, path, status }) => `${method} ${path} ${status}`,
  );
  const output = last()?.split("\n").slice(-40) ?? ["none"];
  const text = ["The service's journal:", ...requests, "Terraform's last output:", ...output];
  const canaries = [
    ...Object.values(secrets),
    ...identity.issuedTokens(),
    ...identity.oidcTokens(),
  ];
  return canaries.reduce((all, each) => all.replaceAll(each, "(canary)"), text.join("\n"));
}

/**
 * A group of scenarios. Each test gets a new world; when it is over, nothing may be left: no
 * process with the world's mark, no file in its temporary folder.
 */
export function scenarios(
  name: string,
  tests: (stage: () => Scenario) => void,
  openings: Openings = {},
): void {
  describeIf(hasTerraform(), noTerraform())(name, () => {
    let current: Scenario | undefined;
    const closing: (() => Promise<void>)[] = [];

    beforeEach(async () => {
      current = await open(openings, closing);
    });

    afterEach(async () => {
      if (current === undefined) return;
      const { scratch } = current;
      const report = (globalThis as { testHasFailed?: boolean }).testHasFailed && reportOf(current);
      current = undefined;
      for (const close of closing.splice(0)) await close();
      const left = { processes: await stillRunning(scratch.marker), files: scratch.leftovers() };
      if (report && process.env.IAM_TOKENS_TEST_KEEP === "1")
        throw new Error(`${report}\nIts folder is kept: ${scratch.folder}`);
      scratch.remove();
      if (report) throw new Error(report);
      expect(left).toEqual({ processes: [], files: [] });
    });

    tests(() => {
      if (current === undefined) throw new Error("The world is there only inside a test.");
      return current;
    });
  });
}

async function open(
  { config, options, consumers = false, clock: hasClock = false }: Openings,
  closing: (() => Promise<void>)[],
) {
  const canary = (name: string) => `canary-${name}-${randomBytes(12).toString("hex")}`;
  const password = canary("password");
  const staticToken = canary("static");
  const clock = { now: hasClock ? Date.parse("2026-03-01T00:00:00Z") : 0 };
  const now = hasClock ? { now: () => clock.now } : {};
  const identity = await startIdentity(
    password,
    { staticTokens: [staticToken], ...config },
    { echo: true, ...now, ...options },
  );
  closing.push(() => identity.stop());
  const secrets: Record<string, string> = {
    SERVICE_USER_PASSWORD: password,
    STATIC_TOKEN: staticToken,
  };
  const attached: Record<string, unknown> = {};
  if (consumers || hasClock) {
    const product = await serveProduct();
    closing.push(product.close);
    Object.assign(attached, product.entry);
  }
  if (hasClock) {
    const processContext = { variables: secrets, workingFolder: "/", attached: true };
    const access = createIdentityAccess(processContext, { ...now, limits: { totalMs: 0 } });
    const provider = createIamProvider({ processContext, identity: access, ...now });
    const server = await serveAttached(provider);
    closing.push(server.end, () => provider.close());
    attached[PROVIDER_SOURCE] = server.reattach;
  }
  const own = makeScratch();
  const reattach = { TF_REATTACH_PROVIDERS: JSON.stringify(attached) };
  const scratch: Scratch = {
    ...own,
    env: { ...own.env, ...(consumers || hasClock ? reattach : {}) },
  };

  const ofLaunched: Env = hasClock ? {} : secrets;
  let last: string | undefined;
  /** Starts Terraform as the leader of its own process group, by default with the secrets. */
  const start = (folder: string, args: Words, env: Env = ofLaunched) => {
    const command = startTerraform(folder, wordsOf(args), { scratch, env });
    command.finished.then(
      ({ text }) => {
        last = text;
      },
      () => undefined,
    );
    return command;
  };
  /** Runs it to its end. */
  const terraform = (...given: Parameters<typeof start>) => start(...given).finished;
  /** The same; a failure is an error that shows what was printed. */
  const succeed = async (...given: Parameters<typeof start>) => {
    const result = await terraform(...given);
    if (result.exitCode === 0) return result;
    throw new Error(`terraform ${given[1]} ended with ${result.exitCode}:\n${result.text}`);
  };
  let folders = 0;
  const synth = (build: (app: App) => void, outdir = join(scratch.folder, `out-${++folders}`)) =>
    synthApp(build, { outdir });
  /** Synthesizes a stack, and gives its folder. */
  const stack = (build: Build, id = "main", outdir?: string): string =>
    synth((app) => void new StackOf(app, id, build), outdir).stackFolder(id);
  let seen = 0;
  return {
    ...{ password, staticToken, identity, scratch, synth, stack, start, terraform, succeed },
    /** The environment that holds the secrets; with a clock, that of the attached provider. */
    secrets,
    /** With `clock`, the time of the service and of the provider. */
    clock,
    /** Its `/echo`, which stands for the product APIs. */
    api: { url: `${identity.authUrl}/echo` },
    /** What the last command of Terraform that ended has printed. */
    last: () => last,
    /** Synthesizes a stack, and gives its folder after `init`. */
    async initialized(build: Build) {
      const folder = stack(build);
      await succeed(folder, "init", {});
      return folder;
    },
    /** A folder with a module in plain HCL, and the provider. */
    module(hcl: string) {
      const folder = join(scratch.folder, `module-${++folders}`);
      writeModule(folder, hcl);
      if (!hasClock) deliverProvider(folder, [], new Map());
      return folder;
    },
    /** Runs several commands, at TRACE where there is time: all that they print, by name. */
    async trace(folder: string, commands: readonly string[], env: Env = ofLaunched) {
      const texts: Record<string, string> = {};
      // With a log, each launch has a server of its own: four times the processor's time.
      const level = { TF_LOG: isPart ? "" : "TRACE" };
      for (const command of commands) {
        const { stdout, stderr } = await succeed(folder, command, { ...level, ...env });
        Object.assign(texts, { [`${command}: output`]: stdout, [`${command}: log`]: stderr });
      }
      return texts;
    },
    /** The command `iam-tokens` to its end, in the world's folder, with no secret. */
    cli: (args: Words, more: Omit<RunOptions, "scratch"> = {}) =>
      iamTokens(wordsOf(args), { scratch, ...more }),
    async outputs(folder: string): Promise<Outputs> {
      return JSON.parse((await succeed(folder, "output -json", {})).stdout);
    },
    /** How many tokens were requested since the last look. */
    requests() {
      const all = identity.journal.filter(({ method, path }) => method === "POST" && !isCall(path));
      const fresh = all.length - seen;
      seen = all.length;
      return fresh;
    },
    /** The calls of the product APIs, such as "/account account 200". */
    calls: () =>
      identity.journal
        .filter(({ path }) => isCall(path))
        .map(({ path, scope, status }) => {
          const token = scope === null ? "static" : Object.values(scope).slice(0, -1).join(" ");
          return `${path.slice("/echo".length)} ${token} ${status}`;
        }),
    /**
     * Where a secret is (password, tokens, and further ones), in all files of the world and the
     * given texts: `NAME: FILE`.
     */
    leaks(texts: Env = {}, further: Env = {}) {
      const named = (name: string, all: readonly string[]) =>
        Object.fromEntries(all.map((each, index) => [`${name} ${index + 1}`, each]));
      const canaries = {
        ...named("token", identity.issuedTokens()),
        ...named("identity token", identity.oidcTokens()),
        ...{ password, "static token": staticToken, ...further },
      };
      const { findings, notScanned } = scanForLeaks({ canaries, folders: [scratch.folder], texts });
      expect(notScanned).toEqual([]);
      const place = (where: string) =>
        where.startsWith("/") ? basename(where.replace(/[ !].*/, "")) : where;
      return [...new Set(findings.map(({ canary, where }) => `${canary}: ${place(where)}`))].sort();
    },
  };
}

export { PROVIDER_SOURCE };

const wordsOf = (words: Words) => (typeof words === "string" ? words.split(" ") : words);
const isCall = (path: string) => path.startsWith("/echo");

/** What was printed, without Terraform's frames and on one line. */
export const onOneLine = (text: string): string => text.replace(/[│╷╵\s]+/g, " ");

/** A stack that is built by a function. */
export class StackOf extends TerraformStack {
  constructor(scope: Construct, id: string, build: Build) {
    super(scope, id);
    build(this);
  }
}

/** Resolves tokens before synthesis, with the secrets in the environment for as long. */
export async function resolve(app: App, { secrets }: Scenario): Promise<void> {
  const { env } = process;
  process.env = { ...env, ...secrets };
  await resolveTokens(app, { writeFile: true }).finally(() => {
    process.env = env;
  });
}

/** The identity service of a scenario, as a user declares it. */
export function identityIn(
  scope: Construct,
  { identity }: Pick<Scenario, "identity">,
  props: Partial<IdentityServiceProps> = {},
  id = "identity",
): IdentityService {
  return new IdentityService(scope, id, {
    authUrl: identity.authUrl,
    accountId: ACCOUNT,
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    ...props,
  });
}

/** An ephemeral token for the project "web". */
export function webToken(
  scope: Construct,
  stage: Scenario,
  { id = "web", identity = identityIn(scope, stage), ...props }: WebToken = {},
): ServiceUserToken {
  return new ServiceUserToken(scope, id, { identity, scope: TokenScope.project("web"), ...props });
}

interface WebToken extends Partial<ServiceUserTokenProps> {
  readonly id?: string;
}

/** A provisioner that runs a command when its resource is created. */
export const localExec = (command: string, environment: Env) => ({
  provisioners: [{ type: "local-exec" as const, command, environment }],
});

/** Writes what is in a module, after the providers that it requires. */
export function writeModule(folder: string, hcl: string): void {
  const product = hcl.includes('"product')
    ? `    product = { source = "${PRODUCT_SOURCE}" }\n`
    : "";
  const required = `    iam = { source = "${PROVIDER_SOURCE}" }\n${product}`;
  mkdirSync(folder, { recursive: true });
  const text = `terraform {\n  required_providers {\n${required}  }\n}\n${hcl}\n`;
  writeFileSync(join(folder, "main.tf"), text);
}

/** The provider's block of an identity service. */
export const providerBlock = ({ identity }: Pick<Scenario, "identity">, more = ""): string =>
  `provider "iam" {
  auth_url     = "${identity.authUrl}"
  account_id   = "${ACCOUNT}"
  user_name    = "deployer"
  password_env = "SERVICE_USER_PASSWORD"
  ${more}
}
`;

/** The command as it is installed. */
export const IAM_TOKENS = join(packageRoot, "dist/cli/main.js");

export interface RunOptions {
  readonly scratch: Scratch;
  readonly cwd?: string;
  readonly env?: Env;
}

/**
 * Starts `iam-tokens` as the leader of its own process group: a test can signal the group as a
 * terminal does.
 */
export const startIamTokens = (
  args: readonly string[],
  { scratch, cwd = scratch.folder, env }: RunOptions,
) =>
  startCommand(process.execPath, [IAM_TOKENS, ...args], {
    cwd,
    env: { ...terraformEnvironment(scratch), ...env },
  });

/** Runs `iam-tokens` to its end. */
export const iamTokens = (args: readonly string[], options: RunOptions) =>
  startIamTokens(args, options).finished;

/** The folders of providers that are running, or have been left. */
export const socketFolders = ({ tmp }: Scratch): readonly string[] =>
  readdirSync(tmp).filter((name) => name.startsWith("tfp-"));

/** Holds the answer to the next request for a token, until it is let go. */
export class Gate {
  #held: { readonly come: () => void; readonly released: Promise<void> } | undefined;

  /** @returns a promise of the request's arrival, and a function that lets the request go on */
  holdNext(): { readonly come: Promise<void>; readonly letGo: () => void } {
    let letGo = (): void => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const come = new Promise<void>((resolve) => {
      this.#held = { come: resolve, released };
    });
    return { come, letGo };
  }

  /** For the options of `scenarios`. */
  readonly intercept: Intercept = async (_request, serve) => {
    const held = this.#held;
    this.#held = undefined;
    held?.come();
    await held?.released;
    return serve();
  };
}
