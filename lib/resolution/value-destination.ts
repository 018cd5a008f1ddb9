import type { TerraformStack } from "cdktf";
import { runsRemotely } from "../constructs/survey/remote-runs";
import type { Warning } from "../constructs/warnings/warnings";
import type { Settings } from "./options";

/**
 * The destination of a stack's values. Evaluated again at synthesis: until then, a backend may be
 * added, even by an aspect.
 */
export interface ValueDestination {
  /** Whether the value file is written. */
  readonly isWritten: () => boolean;
  /** Warnings about the file. */
  readonly uploadNotes: () => readonly Warning[];
  /** The warning if no file is written and nobody has taken the values. */
  readonly nowhereNote: (isAsked: boolean) => Warning;
}

export function valueDestinationOf(
  stack: TerraformStack,
  { writeFile, inCi }: Settings,
): ValueDestination {
  const remote = (): boolean => runsRemotely(stack);
  return {
    isWritten: () => writeFile ?? !(inCi !== undefined || remote()),
    uploadNotes: () => {
      if (writeFile !== true) return [];
      if (remote()) return [UPLOADED];
      return inCi === undefined ? [] : [inCiNote(inCi)];
    },
    nowhereNote: (isAsked) =>
      nowhere(
        writeFile === false
          ? "writeFile is false"
          : remote()
            ? "the stack runs remotely"
            : (inCi ?? "nothing takes it"),
        isAsked,
      ),
  };
}

const UPLOADED = uploaded(
  "With writeFile: true the tokens are in the stack's folder, which a remote run uploads. Do not upload the output folder (cdktf.out) anywhere else.",
);

function inCiNote(sign: string): Warning {
  return uploaded(
    `With writeFile: true the tokens are in the output folder (cdktf.out), and ${sign}. Do not upload it as an artifact, and do not cache it.`,
  );
}

function uploaded(text: string): Warning {
  return { code: "WARN_VALUES_UPLOADED", text };
}

function nowhere(why: string, isAsked: boolean): Warning {
  const text =
    `${isAsked ? "The tokens were resolved but not written to a file" : "No token was requested, because none would be written to a file"}: ${why}. Terraform will lack their variables. Pass them to the program that runs Terraform: ` +
    "use resolveTokens(app, { onResolved }) or environment() of its result; or set writeFile: true.";
  return { code: "WARN_VALUES_NOWHERE", text };
}
