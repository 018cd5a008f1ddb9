import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { makeScratch, type Scratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import { type Contestant, measure, type Outcome } from "./pairs";

export const ACCOUNT = "123456";
export const USER = "deployer";
export const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";
export const PASSWORD = "bench-password";

/**
 * State shared by all measurements: an identity service that answers at once, and a place for
 * files.
 */
export interface Stage {
  readonly identity: EmbeddedIdentityService;
  readonly scratch: Scratch;
  /** The folder `terraform.d` that synthesis lays out. */
  readonly plugins: string;
  /** Times contestants, counts their requests and reports progress on standard error. */
  measure(
    what: string,
    contestants: readonly Contestant[],
    mostRounds?: number,
  ): Promise<Outcome[]>;
  remove(): Promise<void>;
}

export async function openStage(rounds: number): Promise<Stage> {
  const scratch = makeScratch();
  const identity = await EmbeddedIdentityService.start({
    accountId: ACCOUNT,
    serviceUsers: [{ name: USER, password: PASSWORD, permission: { account: true } }],
  });
  const laidOut = synthApp((root) => void EmbeddedProvider.of(new TerraformStack(root, "bench")));
  return {
    identity,
    scratch,
    plugins: join(laidOut.stackFolder("bench"), "terraform.d"),
    measure: (what, contestants, mostRounds = rounds) =>
      measure(contestants, Math.min(rounds, mostRounds), {
        requests: () => identity.journal.filter(({ method }) => method === "POST").length,
        onRound: (round, of) =>
          console.error(`${what}: ${round === 0 ? "warmed up" : `round ${round} of ${of}`}`),
      }),
    async remove() {
      await identity.stop();
      laidOut.remove();
      scratch.remove();
    },
  };
}
