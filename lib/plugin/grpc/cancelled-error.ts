/**
 * Why a wait was ended: Terraform asked for it, or is gone. The reason of every signal that the
 * plugin room aborts.
 */
export class CancelledError extends Error {
  constructor() {
    super("The operation was cancelled.");
    this.name = "CancelledError";
  }
}
