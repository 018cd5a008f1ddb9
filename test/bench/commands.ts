import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { thisPlatform } from "../../lib/delivery/platforms";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { packArchives } from "../support/archives";
import { startCommand } from "../support/command";
import { installProvider } from "../support/go-providers";
import {
  packRelease,
  pageModule,
  type Registry,
  type Release,
  serveRegistry,
} from "../support/registry";
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
  /** Whether the provider is that of the archives for registries, with its own Node.js. */
  readonly isArchive?: boolean;
  /** Whether it is docs/without-npm.md's way from an empty folder to a used token. */
  readonly isFirst?: boolean;
  /** Of a synthesis, a token each. */
  readonly stacks?: number;
  /** In each stack. */
  readonly resources?: number;
  /** Identity services in each stack, and as many static tokens from files as `statics` says. */
  readonly services?: number;
  readonly statics?: number;
}

export const COMMANDS: readonly Command[] = [
  { name: "`terraform plan`, 1 token", tokens: 1 },
  {
    name: "the same without the hand-over, as on macOS and Windows",
    ...{ tokens: 1, env: { IAM_TOKENS_HANDOVER: "0" } },
  },
  { name: "`terraform plan`, 1 token, with the Node.js of an archive", tokens: 1, isArchive: true },
  { name: "a later plan under `iam-tokens run`, 1 token", tokens: 1, isLater: true },
  { name: "`terraform plan`, 100 tokens", tokens: 100 },
  { name: "a later plan under `iam-tokens run`, 100 tokens", tokens: 100, isLater: true },
  { name: "`init` and `apply` in an empty folder, from a registry", isFirst: true },
  { name: "synthesis of 30 stacks, a token each", stacks: 30, resources: 10 },
  { name: "synthesis of 300 resources, one token", stacks: 1, resources: 300 },
  {
    name: "synthesis of 50 identity services and 400 static tokens from files",
    ...{ stacks: 1, services: 50, statics: 400 },
  },
];

export type Checkout = Awaited<ReturnType<typeof openCheckout>>;

/** The provider of a checkout: installed, and kept by `iam-tokens run`. */
export async function openCheckout(stage: Stage, root: string) {
  const {
    scratch,
    env,
    identity: { authUrl },
  } = stage;
  const command = join(root, "dist/cli/main.js");
  const installed = mkdtempSync(join(scratch.folder, "provider-"));
  execFileSync(process.execPath, [command, "install", join(installed, "plugins")]);
  const keep = `printf '%s\\n' "$TF_REATTACH_PROVIDERS"; exec sleep 86400`;
  const run = [command, "run", "--quiet", "--", "sh", "-c", keep];
  const options = { cwd: installed, env, timeoutMs: 86_400_000 };
  const running = startCommand(process.execPath, run, options);
  await running.printed(/\n/);
  let registry: Registry | undefined;
  let release: Release | undefined;
  const attached = { TF_REATTACH_PROVIDERS: running.text().trim() };

  return {
    /** Makes a command ready, with something in the place of the tokens unless it is "iam". */
    async ready(
      { name, tokens, env: more, isLater, isArchive, isFirst, stacks = 0, ...size }: Command,
      instead: "iam" | "none" | "http" = "iam",
    ): Promise<Contestant> {
      if (isFirst) {
        // As it is released: compressed.
        release ??= packRelease({ platforms: [thisPlatform()], level: 9 });
        registry ??= await serveRegistry(release);
        const ca = join(scratch.folder, "registry.pem");
        writeFileSync(ca, registry.certificate);
        const required = `{ source = "${registry.source}" }`;
        const text = instead === "iam" ? pageModule(required, authUrl) : plan("none", 1, authUrl);
        const script = `${terraformBinary()} init && ${terraformBinary()} apply -auto-approve`;
        return {
          name,
          run() {
            const folder = mkdtempSync(join(scratch.folder, "empty-"));
            writeFileSync(join(folder, "main.tf"), text);
            return timed(folder, { ...env, SSL_CERT_FILE: ca }, "sh", "-c", script);
          },
        };
      }
      const folder = mkdtempSync(join(scratch.folder, "command-"));
      const timedHere = (...words: readonly string[]) =>
        timed(folder, { ...env, ...more, ...(isLater && attached) }, ...words);
      if (tokens === undefined) {
        const text = program({ root, stacks, hasTokens: instead === "iam", authUrl, ...size });
        writeFileSync(join(folder, "main.cjs"), text);
        return { name, run: () => timedHere(process.execPath, "main.cjs") };
      }
      writeFileSync(join(folder, "main.tf"), plan(instead, tokens, authUrl));
      if (instead === "http") await installProvider(folder, "http");
      if (instead === "iam" && isArchive)
        packArchives(join(folder, "terraform.d/plugins", PROVIDER_SOURCE), {
          platforms: [thisPlatform()],
        });
      else if (instead === "iam") symlinkSync(installed, join(folder, "terraform.d"));
      await timedHere(terraformBinary(), "init");
      return { name, run: () => timedHere(terraformBinary(), "plan") };
    },
    async stop() {
      await registry?.close();
      release?.remove();
      running.signalGroup("SIGTERM");
      await running.finished;
    },
  };
}
