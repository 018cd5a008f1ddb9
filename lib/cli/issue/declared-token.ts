import { IamTokensError, quote } from "../../tokens";
import { type DeclaredToken, knownArguments, type Stack } from "../stacks";

/** A declared token, with values that are known without Terraform. */
interface Declared {
  /** The folder of its stack, for relative files. */
  readonly folder: string;
  readonly block: Readonly<Record<string, string | readonly string[]>>;
  readonly wanted: Readonly<Record<string, string | readonly string[]>>;
}

/** The arguments that say which token to issue; the others say where it may go. */
const ISSUED_BY = ["scope", "project_name", "min_remaining"];

/** How many choices a message lists. */
const LISTED = 20;

/**
 * Finds a token in what was synthesized.
 *
 * @throws ERR_USAGE with the existing names; ERR_RESOLUTION_UNKNOWN for an argument that only
 * Terraform knows
 */
export function findDeclaredToken(
  wanted: { readonly stack?: string; readonly token?: string },
  stacks: readonly Stack[],
): Declared {
  const declared = stacks.flatMap((stack) => stack.tokens.map((token) => ({ stack, token })));
  const found = (["path", "id"] as const)
    .map((by) => declared.filter(({ stack, token }) => isMeant(wanted, stack, token, by)))
    .find((matching) => matching.length > 0);
  const [only, ...others] = found ?? [];
  if (only === undefined || others.length > 0) {
    const given = Object.entries(wanted).map(([name, value]) => `--${name} ${quote(value)}`);
    const count =
      found === undefined ? "No declared token has" : `${found.length} declared tokens have`;
    throw new IamTokensError("ERR_USAGE", `${count} ${given.join(" ")}.`, {
      remedy: `Give ${choicesIn(stacks) ?? "--project NAME or --scope account: no token is declared here"}.`,
    });
  }
  const { stack, token } = only;
  const block = stack.providerBlocks.find(({ alias }) => (alias ?? undefined) === token.alias);
  if (block === undefined && token.alias !== undefined) {
    throw new IamTokensError(
      "ERR_USAGE",
      `The stack ${quote(stack.name)} has no provider block ${quote(token.alias)}.`,
      { remedy: "Synthesize again." },
    );
  }
  const issued = ISSUED_BY.map((name) => [name, token.config[name] ?? null]);
  return {
    folder: stack.folder,
    block: known(block ?? {}, stack, `its provider block ${quote(token.alias ?? "iam")}`),
    wanted: known(Object.fromEntries(issued), stack, `the token ${quote(token.path)}`),
  };
}

/** The options for each declared token; undefined without any. */
export function choicesIn(stacks: readonly Stack[]): string | undefined {
  const choices = stacks.flatMap((stack) =>
    stack.tokens.map(
      (token) => `--stack ${quote(stack.name)} --token ${quote(inStack(token, stack))}`,
    ),
  );
  if (choices.length === 0) return undefined;
  const more = choices.length > LISTED ? [`one of ${choices.length - LISTED} more`] : [];
  return [...choices.slice(0, LISTED), ...more].join(", or ");
}

/** By the path of its construct or its name in Terraform; otherwise by the construct's id. */
function isMeant(
  wanted: { readonly stack?: string; readonly token?: string },
  stack: Stack,
  token: DeclaredToken,
  by: "path" | "id",
): boolean {
  if (wanted.stack !== undefined && wanted.stack !== stack.name) return false;
  if (wanted.token === undefined) return true;
  return by === "id"
    ? token.path.endsWith(`/${wanted.token}`)
    : [token.path, inStack(token, stack), token.name].includes(wanted.token);
}

function inStack({ path }: DeclaredToken, { name }: Stack): string {
  return path.startsWith(`${name}/`) ? path.slice(name.length + 1) : path;
}

function known(block: Readonly<Record<string, unknown>>, { folder }: Stack, whose: string) {
  const { known, unknown } = knownArguments(block, folder);
  if (unknown === undefined) return known;
  throw new IamTokensError(
    "ERR_RESOLUTION_UNKNOWN",
    `${unknown} of ${whose} is an expression: only Terraform knows its value.`,
    { remedy: "Give the credentials in the OS_ variables, and --project NAME or --scope account." },
  );
}
