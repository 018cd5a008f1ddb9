import type { Reached } from "../../identity";
import { within } from "../../plugin/within";
import type { ProcessContext } from "../../provider/process/process-context";
import { errorCodeOf, IamTokensError, parseAuthUrl } from "../../tokens";
import type { ActionContext } from "../command";
import { processContextIn } from "../process-context";
import { attachedSocket, parseReattached, REATTACH } from "../run/reattach";
import { type Findings, failure, failureOf } from "./finding";
import type { Project, Stack } from "./project";
import { probeService, type Service, servicesOf } from "./services";
import { readTerraformVersion, type Terraform } from "./terraform-version";

/** The options of `iam-tokens doctor`, from commander. */
export interface DoctorOptions {
  readonly only?: string;
  readonly authUrl?: string;
  /** True without a project. */
  readonly issue?: string | true;
  readonly json?: true;
}

/** An identity service to connect to, and a provider block that names it. */
interface Address {
  readonly url: string;
  readonly service: Service;
}

/** Examines one thing, and changes nothing. It has its own time limits. */
export type Check = (context: DoctorContext) => Findings | Promise<Findings>;

/** Context of the checks; facts for several checks are determined once. */
export class DoctorContext {
  readonly env: ActionContext["env"];
  readonly now: () => number;
  readonly version: string;
  readonly #known = new Map<unknown, Promise<unknown>>();

  constructor(
    readonly options: DoctorOptions,
    readonly project: Project,
    context: Pick<ActionContext, "env" | "now" | "version">,
  ) {
    this.env = context.env;
    this.now = context.now;
    this.version = context.version;
  }

  /** The stacks that use this package. */
  get stacks(): readonly Stack[] {
    return this.project.stacks.filter(({ concerned }) => concerned);
  }

  /** The process context of a stack's provider. */
  processContextIn(folder: string): ProcessContext {
    return processContextIn(folder, this.env);
  }

  /** The Terraform or OpenTofu that runs here. */
  terraform(): Promise<Terraform> {
    return this.#once("terraform", () =>
      readTerraformVersion(this.env, this.stacks[0]?.folder ?? this.project.folder),
    );
  }

  /** What a check finds; it runs once. */
  findings(check: Check): Promise<Findings> {
    return this.#once(check, () => resultOf(check, this));
  }

  /** Whether Terraform attaches to a running provider, and searches for none. */
  get isAttached(): boolean {
    try {
      return attachedSocket(parseReattached(this.env[REATTACH])) !== undefined;
    } catch {
      return false;
    }
  }

  /** The identity services and service users of the stacks, or those of the environment. */
  services(): Promise<readonly Service[]> {
    return this.#once("services", () => servicesOf(this));
  }

  /** Each address once. An address on the command line replaces all others. */
  addresses(): Promise<readonly Address[]> {
    return this.#once("addresses", () => this.#findAddresses());
  }

  async #findAddresses(): Promise<readonly Address[]> {
    const services = await this.services();
    if (this.options.authUrl !== undefined) {
      const authUrl = parseAuthUrl(this.options.authUrl);
      const known = services.find((service) => service.authUrl?.v3 === authUrl.v3);
      const processContext = this.processContextIn(this.project.folder);
      const alone = { about: "--auth-url", processContext, literalSecret: false, tokens: [] };
      return [{ url: authUrl.v3, service: known ?? { ...alone, authUrl } }];
    }
    const found = new Map<string, Service>();
    for (const service of services) {
      const url = service.authUrl?.v3;
      // An address with a description may have files for TLS.
      if (url !== undefined && found.get(url)?.description === undefined) found.set(url, service);
    }
    return [...found].map(([url, service]) => ({ url, service }));
  }

  /** The answer of an identity service. */
  reached(service: Service): Promise<Reached> {
    return this.#once(service, () => probeService(service, this.now));
  }

  #once<Fact>(key: unknown, find: () => Promise<Fact>): Promise<Fact> {
    const known = this.#known.get(key) ?? find();
    this.#known.set(key, known);
    return known as Promise<Fact>;
  }
}

/** Above all time limits of the checks themselves. */
const LIMIT_MS = 180_000;

/** What a check finds, in time; an error of this package or of the file system is a failure. */
async function resultOf(check: Check, context: DoctorContext): Promise<Findings> {
  try {
    return await within<Findings>(LIMIT_MS, check(context), () =>
      failure("The check timed out.", "Run this check alone, with --only."),
    );
  } catch (error) {
    if (IamTokensError.is(error)) return failureOf(error);
    const code = errorCodeOf(error);
    // An error that is not from the file system is ours: the command reports it as such.
    if (code === undefined || !/^E[A-Z0-9]{2,20}$/.test(code)) throw error;
    return failure(
      `The check cannot read its files (${code}).`,
      "Make sure that the user who runs the command may read the project's files.",
    );
  }
}
