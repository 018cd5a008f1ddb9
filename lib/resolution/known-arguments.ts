import { isAbsolute, join, relative } from "node:path";
import { realFolder } from "../constructs/blocks/file-path";
import { IamTokensError } from "../tokens";
import type { KnownArguments } from "./issuing";

/** Known before Terraform runs: the folder of the stack, as a program may write it. */
const FOLDERS = ["${abspath(path.root)}/", "${path.root}/"];

/**
 * Arguments in Terraform's syntax, with the values that Terraform would compute.
 *
 * @param project folder of the project, to which names of files, also in messages, are relative
 * @param stackFolder the future value of `path.root`
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
    return within.startsWith("..") || isAbsolute(within) ? file : within;
  };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, known(name, value)]),
  );
}

/**
 * A string without templates; `$${` and `%%{` stand for the characters themselves in Terraform.
 */
function literal(name: string, text: string): string {
  const bare = text.replace(/\$\$\{|%%\{/g, "");
  if (/[$%]\{/.test(bare)) {
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      `${name} is a Terraform expression, but the token is resolved before synthesis.`,
    );
  }
  return text.replace(/([$%])\1\{/g, "$1{");
}
