import { IamTokensError, quote } from "../../tokens";
import type { Arguments, DeclaredToken, ProviderBlock, Stack } from "../stacks";

/** How many choices a message lists. */
const LISTED = 20;

/**
 * Finds a token in what was synthesized: by the path of its construct or its name in Terraform;
 * otherwise by its construct's id. Relative files are those of its stack's folder.
 *
 * @throws ERR_USAGE with the existing names; ERR_RESOLUTION_UNKNOWN for an argument that only
 * Terraform knows
 */
export function findDeclaredToken(
  wanted: { readonly stack?: string; readonly token?: string },
  stacks: readonly Stack[],
) {
  const candidates = declaredIn(stacks).filter(
    ({ stack }) => wanted.stack === undefined || wanted.stack === stack.name,
  );
  const found = ({ stack, token: { name, path } }: Candidate): boolean =>
    wanted.token === undefined || [path, `${stack.name}/${path}`, name].includes(wanted.token);
  const exact = candidates.filter(found);
  const byId = candidates.filter(({ token }) => token.path.endsWith(`/${wanted.token}`));
  const matching = exact.length > 0 ? exact : byId;
  const [only, ...others] = matching;
  if (only === undefined || others.length > 0) {
    const given = Object.entries(wanted).map(([name, value]) => `--${name} ${quote(value)}`);
    const count = only ? `${matching.length} declared tokens have` : "No declared token has";
    throw new IamTokensError("ERR_USAGE", `${count} ${given.join(" ")}.`, {
      remedy: `Give ${choicesIn(stacks) ?? "--project NAME or --scope account: no token is declared here"}.`,
    });
  }
  const { stack, block, token } = only;
  return {
    folder: stack.folder,
    block: knownOf(block, `its provider block ${quote(block.alias ?? "iam")}`),
    wanted: knownOf(token, `the token ${quote(token.path)}`),
  };
}

interface Candidate {
  readonly stack: Stack;
  readonly block: ProviderBlock;
  readonly token: DeclaredToken;
}

const declaredIn = (stacks: readonly Stack[]): readonly Candidate[] =>
  stacks.flatMap((stack) =>
    stack.blocks.flatMap((block) => block.tokens.map((token) => ({ stack, block, token }))),
  );

/** The options for each declared token; undefined without any. */
export function choicesIn(stacks: readonly Stack[]): string | undefined {
  const stacksOf = new Map<string, string[]>();
  for (const { stack, token } of declaredIn(stacks))
    stacksOf.set(token.path, [...(stacksOf.get(token.path) ?? []), quote(stack.name)]);
  const choices = [...stacksOf].map(([path, [first, ...more]]) =>
    more.length === 0
      ? `--stack ${first} --token ${quote(path)}`
      : `--token ${quote(path)} with --stack ${[first, ...more.slice(0, LISTED)].join(" or ")}`,
  );
  if (choices.length === 0) return undefined;
  const more = choices.length > LISTED ? [`one of ${choices.length - LISTED} more`] : [];
  return [...choices.slice(0, LISTED), ...more].join(", or ");
}

function knownOf({ known, unknown }: Arguments, whose: string): Arguments["known"] {
  if (unknown === undefined) return known;
  throw new IamTokensError(
    "ERR_RESOLUTION_UNKNOWN",
    `${unknown} of ${whose} is an expression: only Terraform knows its value.`,
    { remedy: "Give the credentials in the OS_ variables, and --project NAME or --scope account." },
  );
}
