import { isAbsolute, join, relative } from "node:path";
import { realFolder, STACK_FOLDER } from "../constructs/blocks/file-path";
import { IamTokensError } from "../tokens";
import type { KnownArguments } from "./issuing";

/**
 * What is known before Terraform runs: the folder of the stack, as constructs write it, and as a
 * user may.
 */
const FOLDERS = [`${STACK_FOLDER}/`, "${path.root}/"];

/**
 * Arguments as they are written for Terraform, with the values that Terraform would see.
 *
 * @param project what files are named relative to where they are in it: so do messages
 * @param stackFolder what `path.root` is going to be
 * @throws ERR_RESOLUTION_UNKNOWN for an expression that only Terraform can evaluate
 */
export function knownArguments(
  given: Readonly<Record<string, unknown>>,
  { project, stackFolder }: { readonly project: string; readonly stackFolder: string },
): KnownArguments {
  const known = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => known(name, each));
    if (typeof value !== "string") return value;
    const folder = FOLDERS.find((each) => value.startsWith(each));
    if (folder === undefined) return literal(name, value);
    const file = join(realFolder(stackFolder), literal(name, value.slice(folder.length)));
    const within = relative(realFolder(project), file) || ".";
    return within.startsWith("..") || isAbsolute(within) ? file : within || ".";
  };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, known(name, value)]),
  );
}

/**
 * A text without templates; `$${` and `%%{` are what Terraform writes for the characters
 * themselves.
 */
function literal(name: string, text: string): string {
  const bare = text.replace(/\$\$\{|%%\{/g, "");
  if (/[$%]\{/.test(bare)) {
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      `${name} is a Terraform expression, and the token is to be resolved before synthesis.`,
    );
  }
  return text.replace(/([$%])\1\{/g, "$1{");
}
