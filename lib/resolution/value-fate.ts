import type { TerraformStack } from "cdktf";
import { runsRemotely } from "../constructs/survey/remote-runs";
import type { Settings } from "./options";

/**
 * Where a stack's values go. Told again at synthesis: until then a backend may be added, by an
 * aspect too.
 */
export interface Fate {
  /** Whether the value file is written. */
  readonly isWritten: () => boolean;
  /** What must not be done with the file. */
  readonly uploadNotes: () => readonly string[];
  /** What is left to do where no file is written and nobody has taken the values. */
  readonly nowhereNote: (isAsked: boolean) => string;
}

export function fateOf(stack: TerraformStack, { writeFile, inCi }: Settings): Fate {
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
            ? "the stack's runs are remote"
            : (inCi ?? "nothing takes it"),
        isAsked,
      ),
  };
}

const UPLOADED =
  "With writeFile: true the tokens are in the stack's folder, which a remote run uploads. Do not upload the output folder (cdktf.out) anywhere else.";
const inCiNote = (sign: string) =>
  `With writeFile: true the tokens are in the output folder (cdktf.out), and ${sign}. Do not upload it as an artifact, nor put it into a cache.`;
const nowhere = (why: string, isAsked: boolean) =>
  `${isAsked ? "The tokens were resolved and are in no file" : "No token is asked for, as nobody would get it: there is no file"}, since ${why}; Terraform will miss their variables. Hand them over: ` +
  "resolveTokens(app, { onResolved }) or environment() of its result, to the program that runs Terraform; or say writeFile: true.";
