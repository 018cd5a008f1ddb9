import type { Reached } from "../../identity";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import type { Surroundings } from "../../provider/process/surroundings";
import type { AuthUrl } from "../../tokens";
import type { ActionSurroundings } from "../command";
import { attachedSocket, parseReattached, REATTACH } from "../run/reattach";
import { type CliConfigurationFile, cliConfigurationFiles } from "./cli-configuration-files";
import type { DoctorOptions } from "./options";
import { type ProgramOutcome, runProgram } from "./program";
import type { Project } from "./project/project";
import type { Stack } from "./project/stack";
import { reach, type Service, servicesOf } from "./services";
import { environmentFor, parseVersion, type TerraformVersion } from "./terraform-version";

/** What the checks look at; what several of them need is found out once. */
export class Scene {
  readonly env: ActionSurroundings["env"];
  readonly now: () => number;
  readonly version: string;
  #terraform: Promise<Terraform> | undefined;
  #services: Promise<readonly Service[]> | undefined;
  #given: Service | undefined;
  readonly #reached = new Map<Service, Promise<Reached>>();

  constructor(
    readonly options: DoctorOptions,
    readonly project: Project,
    surroundings: Pick<ActionSurroundings, "env" | "now" | "version">,
    /** Where Linux tells of its processes. */
    readonly proc = "/proc",
  ) {
    this.env = surroundings.env;
    this.now = surroundings.now;
    this.version = surroundings.version;
  }

  /** Those that have something of this package in them. */
  get stacks(): readonly Stack[] {
    return this.project.stacks.filter(({ concerned }) => concerned);
  }

  /** What the provider of a stack would see. */
  surroundingsIn(folder: string): Surroundings {
    return {
      variables: cleanEnvironment(this.env, "IAM_TOKENS_EXTRA_CA_CERTS"),
      workingFolder: folder,
      attached: false,
    };
  }

  /** The Terraform or OpenTofu that is run here. */
  terraform(): Promise<Terraform> {
    this.#terraform ??= askVersion(this.env, this.stacks[0]?.folder ?? this.project.folder);
    return this.#terraform;
  }

  /** The configuration of its command line. */
  async cliConfiguration(): Promise<readonly CliConfigurationFile[]> {
    return cliConfigurationFiles(
      this.env,
      (await this.terraform()).version?.product === "OpenTofu",
    );
  }

  /** Whether Terraform is given a provider that runs already, and looks for none. */
  get isAttached(): boolean {
    try {
      return attachedSocket(parseReattached(this.env[REATTACH])) !== undefined;
    } catch {
      return false;
    }
  }

  /** The identity services and service users of the stacks, or those of the environment. */
  services(): Promise<readonly Service[]> {
    this.#services ??= servicesOf(this);
    return this.#services;
  }

  /** An address of the command line, as a service of which nothing else is known. */
  serviceAt(authUrl: AuthUrl): Service {
    this.#given ??= {
      about: "--auth-url",
      surroundings: this.surroundingsIn(this.project.folder),
      authUrl,
      literalPassword: false,
      tokens: [],
    };
    return this.#given;
  }

  /** What an identity service answers. */
  reached(service: Service): Promise<Reached> {
    const known = this.#reached.get(service);
    if (known !== undefined) return known;
    const asked = reach(service, this.now);
    // Whoever awaits it gets the error; nobody has to.
    asked.catch(() => {});
    this.#reached.set(service, asked);
    return asked;
  }
}

/** A program that was asked for its version. */
export interface Terraform {
  readonly binary: string;
  /** Undefined when it does not tell. */
  readonly version: TerraformVersion | undefined;
  readonly outcome: ProgramOutcome;
}

/** Longest wait for the version, in milliseconds. */
const VERSION_MS = 10_000;

/**
 * As the CDKTF command line chooses it; where there is no terraform, a tofu will be what is used.
 */
async function askVersion(env: Scene["env"], cwd: string): Promise<Terraform> {
  const ask = async (binary: string): Promise<Terraform> => {
    const outcome = await runProgram(binary, ["version"], {
      cwd,
      env: environmentFor({ ...env }),
      timeoutMs: VERSION_MS,
    });
    const version =
      outcome.kind === "ended" && outcome.exitCode === 0 ? parseVersion(outcome.stdout) : undefined;
    return { binary, version, outcome };
  };
  const named = env.TERRAFORM_BINARY_NAME;
  const first = await ask(named || "terraform");
  if (named || first.outcome.kind !== "missing") return first;
  const tofu = await ask("tofu");
  return tofu.outcome.kind === "missing" ? first : tofu;
}
