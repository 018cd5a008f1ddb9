import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { makeScratch, type Scratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import type { Contestant, Outcome } from "./pairs";
import { measure } from "./pairs";

export const ACCOUNT = "123456";
export const USER = "deployer";
export const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";
export const PASSWORD = "bench-password";

/** A Node.js to measure with. */
export interface NodeProgram {
  readonly version: string;
  readonly path: string;
  /** With it as the first `node` of PATH. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * State shared by all measurements: an identity service that answers at once, and a place for
 * files.
 */
export interface Stage {
  readonly identity: EmbeddedIdentityService;
  readonly scratch: Scratch;
  /** That of this process first. */
  readonly nodes: readonly [NodeProgram, ...NodeProgram[]];
  /** The folder `terraform.d` that synthesis lays out. */
  readonly plugins: string;
  readonly rounds: number;
  /** How many tokens have been requested. */
  requests(): number;
  /** Times contestants, counts their requests and tells how far it is. */
  measure(what: string, contestants: readonly Contestant[], rounds?: number): Promise<Outcome[]>;
  /** For what runs long. */
  tell(what: string): void;
  remove(): Promise<void>;
}

export async function openStage(rounds: number, nodePaths: readonly string[]): Promise<Stage> {
  const scratch = makeScratch();
  const identity = await EmbeddedIdentityService.start({
    accountId: ACCOUNT,
    serviceUsers: [{ name: USER, password: PASSWORD, permission: { account: true } }],
  });
  const laidOut = synthApp((root) => void EmbeddedProvider.of(new TerraformStack(root, "bench")));
  const requests = () => identity.journal.filter(({ method }) => method === "POST").length;
  const tell = (what: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
  return {
    identity,
    scratch,
    nodes: [
      nodeProgram(process.execPath, scratch),
      ...nodePaths.map((path) => nodeProgram(resolve(path), scratch)),
    ],
    plugins: join(laidOut.stackFolder("bench"), "terraform.d"),
    rounds,
    requests,
    tell,
    measure: (what, contestants, own = rounds) =>
      measure(contestants, own, {
        requests,
        onRound: (round, of) =>
          tell(`${what}: ${round === 0 ? "warmed up" : `round ${round} of ${of}`}`),
      }),
    async remove() {
      await identity.stop();
      laidOut.remove();
      scratch.remove();
    },
  };
}

function nodeProgram(path: string, scratch: Scratch): NodeProgram {
  const version = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  const folder = join(scratch.folder, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(path, join(folder, "node"));
  return { version, path, env: { PATH: `${folder}${delimiter}${scratch.env.PATH ?? ""}` } };
}
