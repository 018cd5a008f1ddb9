import { IamTokensError } from "../../tokens";
import type { Check } from "./check";
import { CHECK_OF, type CheckId } from "./checks";
import { cross, crossOf, type Finding } from "./finding";
import type { Scene } from "./scene";

/** A finding, and what has found it. */
export interface Examined extends Finding {
  readonly check: CheckId;
}

/** Beyond all the bounds that the checks have themselves. */
const LIMIT_MS = 180_000;

/**
 * Runs checks, one after the other: so each line comes when it is known, and none waits for long.
 */
export async function* examine(checks: readonly CheckId[], scene: Scene): AsyncGenerator<Examined> {
  for (const check of checks) {
    for (const { status, text, remedy } of await bounded(CHECK_OF[check], scene)) {
      yield { check, status, text, ...(remedy === undefined ? {} : { remedy }) };
    }
  }
}

async function bounded(check: Check, scene: Scene): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(
      () => resolve([cross("The check has not ended in time.", "Run it by itself, with --only.")]),
      LIMIT_MS,
    );
  });
  try {
    return await Promise.race([check(scene), late]);
  } catch (error) {
    if (IamTokensError.is(error)) return [crossOf(error)];
    const { code } = error as NodeJS.ErrnoException;
    // What is no error of the file system is ours: the command tells it as such.
    if (typeof code !== "string" || !/^E[A-Z0-9]{2,20}$/.test(code)) throw error;
    return [
      cross(
        `This cannot be looked at (${code}).`,
        "See that the user who runs the command may read the files of the project.",
      ),
    ];
  } finally {
    clearTimeout(timer);
  }
}
