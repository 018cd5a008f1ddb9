import { join } from "node:path";
import { type RunningCommand, startCommand } from "../support/command";
import { builtProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { type NodeProgram, PASSWORD, PASSWORD_VARIABLE, type Stage } from "./stage";

export const IAM_TOKENS = join(packageRoot, "dist/cli/main.js");

/** A provider that runs, as `iam-tokens run` has it for a pipeline. */
export interface AttachedProvider {
  /** The environment of its command. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startAttached(
  { scratch }: Stage,
  node: NodeProgram,
): Promise<AttachedProvider> {
  const command = ["sh", "-c", `printf '%s\\n' "$TF_REATTACH_PROVIDERS"; exec sleep 86400`];
  const running = startCommand(node.path, [IAM_TOKENS, "run", "--quiet", "--", ...command], {
    cwd: scratch.folder,
    env: { ...terraformEnvironment(scratch), ...node.env, [PASSWORD_VARIABLE]: PASSWORD },
    timeoutMs: 86_400_000,
  });
  await running.printed(/\n/);
  return attachedBy(running, running.text().trim());
}

/**
 * Terraform's null provider, attached in the way its authors debug it: what any attached provider
 * costs, written in Go.
 */
export async function startAttachedNull({ scratch }: Stage): Promise<AttachedProvider> {
  // Its log is discarded: an unread pipe must not stop it.
  const running = startCommand(
    "sh",
    ["-c", 'exec "$0" -debug 2>/dev/null', await builtProvider("null")],
    {
      cwd: scratch.folder,
      env: terraformEnvironment(scratch),
      timeoutMs: 86_400_000,
    },
  );
  const line = /TF_REATTACH_PROVIDERS='([^']+)'/;
  await running.printed(line);
  return attachedBy(running, line.exec(running.text())?.[1] ?? "");
}

function attachedBy(running: RunningCommand, reattach: string): AttachedProvider {
  return {
    env: { TF_REATTACH_PROVIDERS: reattach },
    async stop() {
      running.signalGroup("SIGTERM");
      await running.finished;
    },
  };
}
