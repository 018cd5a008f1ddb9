import type { Write } from "../launch/descriptor-writer";

/** How often it checks that the first launcher reads its pipe, until Terraform has connected. */
const READER_WATCH_MS = 200;

/**
 * The pipe to the launcher that has started this server. The launcher prints the line for Terraform.
 * If it ends before that, nobody can connect, and this process exits.
 */
export class FirstLauncher {
  #watch: NodeJS.Timeout | undefined;

  constructor(private readonly write: Write) {}

  tell(line: string): void {
    this.#write(line);
    // A pipe accepts the line even if its reader ends without reading it. A later blank then fails;
    // the launcher's `read` drops it.
    this.#watch = setInterval(() => this.#write(" "), READER_WATCH_MS);
  }

  /** To be called when Terraform has connected. */
  connected(): void {
    clearInterval(this.#watch);
  }

  end(): void {
    this.write("end\n");
  }

  #write(text: string): void {
    if (!this.write(text)) process.exit(0);
  }
}
