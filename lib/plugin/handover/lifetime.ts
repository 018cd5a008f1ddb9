import { FIRST_CONNECTION_MS } from "../launch/handshake";
import type { TerraformProcess } from "./terraform-process";

/**
 * How long a server without a connection waits for the next launch: those of one command follow
 * each other closely.
 */
const DEFAULT_GRACE_MS = 10_000;
/** How often it checks whether Terraform still exists, in milliseconds. */
const TERRAFORM_WATCH_MS = 100;
/**
 * How long the release of connections may take after the end of Terraform, in milliseconds.
 */
const LAST_RELEASE_MS = 10_000;

interface LifetimeOptions {
  readonly terraform: Pick<TerraformProcess, "isThere">;
  /** Milliseconds; 10 seconds by default. */
  readonly graceMs?: number | undefined;
  /** Ends all connections and releases everything that they hold. */
  end(): Promise<void>;
  /** Ends the process. */
  exit(): void;
}

/**
 * When the server of a hand-over ends: with its Terraform process, or when Terraform has launched
 * nothing for some time.
 */
export class Lifetime {
  #lonely: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(private readonly options: LifetimeOptions) {
    setInterval(() => this.#endWithTerraform(), TERRAFORM_WATCH_MS);
  }

  /** To be called whenever a launch or a connection has begun or ended. */
  changed({ launches, connections }: { launches: number; connections: number }): void {
    clearTimeout(this.#lonely);
    if (connections > 0) return;
    const { graceMs = DEFAULT_GRACE_MS, exit } = this.options;
    this.#lonely = setTimeout(exit, launches > 0 ? FIRST_CONNECTION_MS : graceMs);
  }

  #endWithTerraform(): void {
    const { terraform, end, exit } = this.options;
    if (this.#ending || terraform.isThere()) return;
    this.#ending = true;
    setTimeout(exit, LAST_RELEASE_MS);
    void end().finally(exit);
  }
}
