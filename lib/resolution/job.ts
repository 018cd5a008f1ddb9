import { isAbsolute, join, relative } from "node:path";
import type { TerraformStack } from "cdktf";
import { realFolder } from "../constructs/blocks/file-path";
import type { TokenRecord } from "../constructs/declarations/registry";
import { resolvedIn } from "../constructs/framework/internals";
import { IamTokensError } from "../tokens";
import type { IssueJob, KnownArguments } from "./issuing";

interface Folders {
  /** Folder of the project, to which names of files, also in messages, are relative. */
  readonly project: string;
  /** The future value of `path.root`. */
  readonly stackFolder: string;
}

type Given = Readonly<Record<string, unknown>>;

/** The job that gets a token. @throws ERR_RESOLUTION_UNKNOWN */
export function jobOf(
  { blockType, isInState, identity, arguments: block }: TokenRecord,
  stack: TerraformStack,
  folders: Folders,
): IssueJob {
  // Paths are relative to the folder that the provider starts from here.
  const known = (argumentsOf: typeof block): KnownArguments =>
    knownArguments(
      knownSoFar(
        stack,
        argumentsOf((path) => path),
      ),
      folders,
    );
  return {
    blockType,
    storedIn: isInState ? "state" : "memory",
    provider: identity === undefined ? {} : known(identity.arguments),
    block: known(block),
  };
}

/** CDK tokens as strings. One that cannot be resolved now counts as unknown, like an expression. */
function knownSoFar(scope: TerraformStack, given: Given): Given {
  try {
    return resolvedIn(scope, given) as Given;
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      "An argument cannot be resolved before synthesis.",
    );
  }
}

/** Known before Terraform runs: the folder of the stack, as a program may write it. */
const FOLDERS = ["${abspath(path.root)}/", "${path.root}/"];

/**
 * Arguments in Terraform's syntax, with the values that Terraform would compute.
 *
 * @throws ERR_RESOLUTION_UNKNOWN for an expression that only Terraform can evaluate
 */
export function knownArguments(given: Given, { project, stackFolder }: Folders): KnownArguments {
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
