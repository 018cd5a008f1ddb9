import type { SecretKind } from "../../tokens/ways";
import type { BlockArguments, FilePath } from "../blocks/arguments";
import type { SecretSource } from "../values/secret-ref";

/** The arguments of a block for a secret, by the kind of source; by default, they have its name. */
type SecretArgumentNames = Readonly<Partial<Record<SecretKind, string>>>;

/** The one argument for a reference to a secret. */
export function secretArguments(
  source: SecretSource,
  names: SecretArgumentNames,
  file: FilePath,
): BlockArguments {
  const { from } = source;
  const kind = from === "terraform" || from === "variable" ? "value" : from;
  return { [names[kind] ?? kind]: valueIn(source, file) };
}

function valueIn({ from, given }: SecretSource, file: FilePath): unknown {
  switch (from) {
    case "file":
      return file(given);
    case "command":
      // A program with a relative path is in the project, as files are; one without is in PATH.
      return given.map((word, at) => (at === 0 && /[\\/]/.test(word) ? file(word) : word));
    case "variable":
      return `\${var.${given}}`;
    default:
      return given;
  }
}

/** A step, after a dot or not, and the one that follows it. Names may contain a minus sign. */
const STEPS =
  /(\.\s*)?([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\s*\.\s*([\p{ID_Start}_][\p{ID_Continue}-]*))?/gu;

/** The first two steps of a reference: `var` and `password`. */
type Reference = readonly [root: string, name: string];

/**
 * The references in a string that is exactly one Terraform expression; undefined for all else,
 * which may hold the secret itself: `Bearer ${x}`, `${a}${b}`, `${coalesce(a, "text")}`. Braces,
 * comments, heredocs, other quotes and long numbers within it are refused, so that the form is
 * obvious, and the check linear.
 */
export function referencesIn(value: unknown): readonly Reference[] | undefined {
  if (typeof value !== "string" || !/^\$\{[^{}]*\}$/.test(value)) return undefined;
  // Not those that name a member, and not the empty one.
  const strings =
    value.match(/(?<=[\w)\]])\[\s*"(?:[^"\\]|\\.)*(?:"|$)|"(?:[^"\\]|\\.)*(?:"|$)/gs) ?? [];
  if (strings.some((each) => each.startsWith('"') && each !== '""')) return undefined;
  const bare = withoutStrings(value);
  if (/\/[/*]|[#'`]|<<|\d{5}/.test(bare.replace(STEPS, ""))) return undefined;
  const references = stepsIn(bare);
  return references.some(([root]) => !["path", "terraform"].includes(root))
    ? references
    : undefined;
}

/** The references in a string of any form, as far as they can be told from other names. */
export function stepsIn(text: string): readonly Reference[] {
  return [...withoutStrings(text).matchAll(STEPS)].flatMap(([, dot, root = "", name]) =>
    dot === undefined && name !== undefined ? [[root, name] as Reference] : [],
  );
}

const withoutStrings = (text: string) => text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '""');
