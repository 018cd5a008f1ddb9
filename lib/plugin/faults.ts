/** The server cannot start. The message is for the user: one sentence or two, no secret. */
export class PluginStartError extends Error {
  override readonly name = "PluginStartError";
}

/**
 * Why a wait was ended: Terraform requested it, or has gone. The reason of every signal that the
 * plugin room aborts.
 */
export class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor() {
    super("The operation was cancelled.");
  }
}

/**
 * Whether an error is the end of a wait. By its name: the reason of a signal comes from the bundle
 * that has the server, and may reach the one that has the provider.
 */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && ["CancelledError", "AbortError"].includes(error.name);
}

/**
 * A name for an error without its content: its class and its code, if these look like names. The
 * message of an arbitrary error may quote a request, and a request may contain a secret.
 */
export function faultName(error: unknown): string {
  if (typeof error !== "object" || error === null) return "Error";
  const name =
    "name" in error && typeof error.name === "string" && /^[A-Za-z]{1,60}$/.test(error.name)
      ? error.name
      : "Error";
  const code =
    "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
      ? ` ${error.code}`
      : "";
  return name + code;
}
