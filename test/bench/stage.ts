import { startCommand } from "../support/command";
import { startIdentity } from "../support/identity-service";
import { makeScratch } from "../support/scratch";
import { terraformEnvironment } from "../support/terraform";
import { type Contestant, measure } from "./pairs";

export const ACCOUNT = "123456";
export const USER = "deployer";
export const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";
export const PASSWORD = "bench-password";

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * State shared by all measurements: an identity service that answers at once, and a place for
 * files.
 */
export async function openStage(rounds: number) {
  const scratch = makeScratch();
  const identity = await startIdentity(PASSWORD, {}, { echo: true });
  return {
    identity,
    scratch,
    /** The environment of all commands. */
    env: { ...terraformEnvironment(scratch), CI: "true", [PASSWORD_VARIABLE]: PASSWORD },
    /** Times contestants, counts their requests and reports progress on standard error. */
    measure: (what: string, contestants: readonly Contestant[]) =>
      measure(
        contestants,
        rounds,
        () => identity.journal.filter(({ method }) => method === "POST").length,
        (round) => console.error(`${what}: ${round === 0 ? "warmed up" : `round ${round}`}`),
      ),
    async remove() {
      await identity.stop();
      scratch.remove();
    },
  };
}

/** Milliseconds of a command; a failure is an error. */
export async function timed(
  cwd: string,
  env: Readonly<Record<string, string>>,
  program: string,
  ...args: readonly string[]
): Promise<number> {
  const { exitCode, durationMs, text } = await startCommand(program, args, { cwd, env }).finished;
  if (exitCode !== 0) throw new Error(`${program} ${args.join(" ")}:\n${text.slice(-4_000)}`);
  return durationMs;
}
