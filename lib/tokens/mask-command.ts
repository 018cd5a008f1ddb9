import type { Secret } from "./secret";

/**
 * The line by which a job of GitHub Actions hides a secret that it has got in its log, from then
 * on; empty elsewhere.
 */
export function maskCommand(secret: Secret, { GITHUB_ACTIONS: is }: NodeJS.ProcessEnv): string {
  return is === "true" ? `::add-mask::${secret.reveal().replaceAll("%", "%25")}\n` : "";
}
