import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { installProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { terraformBinary } from "../support/terraform";
import type { Contestant } from "./pairs";
import { plan, program } from "./programs";
import { type Stage, timed } from "./stage";

/** A command with tokens of one credential. */
interface Command {
  readonly name: string;
  /** Of a plan. */
  readonly tokens?: number;
  /** What the plan's environment adds. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether `iam-tokens run` has kept the provider since an earlier plan. */
  readonly isLater?: boolean;
  /** Of a synthesis, a token each. */
  readonly stacks?: number;
  /** In each stack. */
  readonly resources?: number;
}

export const COMMANDS: readonly Command[] = [
  { name: "`terraform plan`, 1 token", tokens: 1 },
  {
    name: "the same without the hand-over, as on macOS and Windows",
    ...{ tokens: 1, env: { IAM_TOKENS_HANDOVER: "0" } },
  },
  { name: "a later plan under `iam-tokens run`, 1 token", tokens: 1, isLater: true },
  { name: "`terraform plan`, 100 tokens", tokens: 100 },
  { name: "a later plan under `iam-tokens run`, 100 tokens", tokens: 100, isLater: true },
  { name: "synthesis of 30 stacks, a token each", stacks: 30, resources: 10 },
  { name: "synthesis of 300 resources, one token", stacks: 1, resources: 300 },
];

/** The provider: installed, and kept by `iam-tokens run`. */
export async function openCommands({ scratch, env, identity: { authUrl } }: Stage) {
  const command = join(packageRoot, "dist/cli/main.js");
  const installed = mkdtempSync(join(scratch.folder, "provider-"));
  execFileSync(process.execPath, [command, "install", join(installed, "plugins")]);
  const keep = `printf '%s\\n' "$TF_REATTACH_PROVIDERS"; exec sleep 86400`;
  const run = [command, "run", "--quiet", "--", "sh", "-c", keep];
  const options = { cwd: installed, env, timeoutMs: 86_400_000 };
  const running = startCommand(process.execPath, run, options);
  await running.printed(/\n/);
  const attached = { TF_REATTACH_PROVIDERS: running.text().trim() };

  return {
    /** Makes a command ready, with something in the place of the tokens unless it is "iam". */
    async ready(
      { name, tokens, env: more, isLater, stacks = 0, resources }: Command,
      instead: "iam" | "none" | "http" = "iam",
    ): Promise<Contestant> {
      const folder = mkdtempSync(join(scratch.folder, "command-"));
      const timedHere = (...words: readonly [string, ...string[]]) =>
        timed(folder, { ...env, ...more, ...(isLater && attached) }, ...words);
      if (tokens === undefined) {
        const text = program({ stacks, hasTokens: instead === "iam", authUrl, resources });
        writeFileSync(join(folder, "main.cjs"), text);
        return { name, run: () => timedHere(process.execPath, "main.cjs") };
      }
      writeFileSync(join(folder, "main.tf"), plan(instead, tokens, authUrl));
      if (instead === "http") await installProvider(folder, "http");
      if (instead === "iam") symlinkSync(installed, join(folder, "terraform.d"));
      await timedHere(terraformBinary(), "init");
      return { name, run: () => timedHere(terraformBinary(), "plan") };
    },
    async stop() {
      running.signalGroup("SIGTERM");
      await running.finished;
    },
  };
}
