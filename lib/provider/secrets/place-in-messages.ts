import { resolve } from "node:path";
import { ofProcess, quote, type Text, type Words, words } from "../../tokens";
import { findProgram } from "../process/find-program";
import { isThere } from "../process/own-folder";
import type { ProcessContext } from "../process/process-context";

// The place of a secret, in messages. A path of which not even the first folder is there may be
// the secret itself, which somebody gave in place of its place: it is not repeated.

/** The file that a setting names: `The file "/run/pw" (password_file of the provider block)`. */
export function fileInMessages(path: string, origin: Text, context: ProcessContext): Words {
  return inWords("The file", path, isPlace(path, context), origin);
}

/** The program of a command that a setting gives. */
export function commandInMessages(program: string, origin: Text, context: ProcessContext): Words {
  const found = findProgram(program, context.variables.PATH);
  return inWords("The command", program, found !== undefined && isPlace(found, context), origin);
}

/** Whether a path may be repeated in messages. */
export function isPlace(path: string, { workingFolder }: ProcessContext): boolean {
  const [first = ""] = /^(?:[a-z]:)?[\\/]*[^\\/]*/i.exec(path) ?? [];
  return isThere(resolve(workingFolder, first));
}

function inWords(what: string, text: string, isRepeated: boolean, origin: Text): Words {
  return isRepeated
    ? words`${ofProcess(`${what} ${quote(text, "path")}`)} (${origin})`
    : words`${ofProcess(what)} that ${origin} names`;
}
