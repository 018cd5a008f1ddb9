import type { Reached } from "../../identity";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import type { Surroundings } from "../../provider/process/surroundings";
import { parseAuthUrl } from "../../tokens";
import type { ActionSurroundings } from "../command";
import { attachedSocket, parseReattached, REATTACH } from "../run/reattach";
import { type CliConfigurationFile, cliConfigurationFiles } from "./cli-configuration-files";
import type { Project, Stack } from "./project";
import { reach, type Service, servicesOf } from "./services";
import { askVersion, type Terraform } from "./terraform-version";

/** The options of `iam-tokens doctor`, as commander gives them. */
export interface DoctorOptions {
  readonly only?: string;
  readonly authUrl?: string;
  /** True when no project is given. */
  readonly issue?: string | true;
  readonly maxAge?: string;
  readonly output?: string;
  readonly json?: true;
}

/** An identity service to be reached, and a provider block that names it. */
interface Address {
  readonly url: string;
  readonly service: Service;
}

/** What the checks look at; what several of them need is found out once. */
export class Scene {
  readonly env: ActionSurroundings["env"];
  readonly now: () => number;
  readonly version: string;
  #terraform: Promise<Terraform> | undefined;
  #services: Promise<readonly Service[]> | undefined;
  #addresses: Promise<readonly Address[]> | undefined;
  #configuration: Promise<readonly CliConfigurationFile[]> | undefined;
  readonly #reached = new Map<Service, Promise<Reached>>();

  constructor(
    readonly options: DoctorOptions,
    readonly project: Project,
    surroundings: Pick<ActionSurroundings, "env" | "now" | "version">,
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
  cliConfiguration(): Promise<readonly CliConfigurationFile[]> {
    this.#configuration ??= this.terraform().then(({ version }) =>
      cliConfigurationFiles(this.env, version?.product === "OpenTofu"),
    );
    return this.#configuration;
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

  /** Each address once. One of the command line stands for all others. */
  addresses(): Promise<readonly Address[]> {
    this.#addresses ??= this.#findAddresses();
    return this.#addresses;
  }

  async #findAddresses(): Promise<readonly Address[]> {
    const services = await this.services();
    if (this.options.authUrl !== undefined) {
      const authUrl = parseAuthUrl(this.options.authUrl);
      const known = services.find((service) => service.authUrl?.v3 === authUrl.v3);
      const surroundings = this.surroundingsIn(this.project.folder);
      const alone = { about: "--auth-url", surroundings, literalPassword: false, tokens: [] };
      return [{ url: authUrl.v3, service: known ?? { ...alone, authUrl } }];
    }
    const found = new Map<string, Service>();
    for (const service of services) {
      const url = service.authUrl?.v3;
      // One with a description may have files for TLS.
      if (url !== undefined && found.get(url)?.description === undefined) found.set(url, service);
    }
    return [...found].map(([url, service]) => ({ url, service }));
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
