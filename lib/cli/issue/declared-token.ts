import type { TerraformJson } from "../../hcl/json";
import { IAM_TOKEN } from "../../provider/names";
import { IamTokensError, quote } from "../../tokens";
import { nearest } from "../../tokens/nearest";
import { type DeclaredToken, knownValue, readProject, type Stack } from "../doctor/project";

/** Arguments: strings, and commands. */
type Known = Readonly<Record<string, string | readonly string[]>>;

/** A declared token, with values that are known without Terraform. */
interface Declared {
  /** The folder of its stack, for relative files. */
  readonly folder: string;
  readonly provider: Known;
  readonly token: Known;
}

/** The arguments that say which token to issue; the others say where it may go. */
const ISSUED_BY = ["scope", "project_name", "min_remaining"];

/**
 * Finds a token in what was synthesized, or in a folder of plain HCL.
 *
 * @throws ERR_USAGE with the existing names; ERR_RESOLUTION_UNKNOWN for an argument that only
 * Terraform knows
 */
export async function findDeclaredToken(
  { stack: wantedStack, token: wantedToken }: { readonly stack?: string; readonly token?: string },
  workingFolder: string,
): Promise<Declared> {
  const { stacks, problem } = await readProject(workingFolder);
  if (problem !== undefined) throw new IamTokensError("ERR_USAGE", problem);
  const synthesize = "Synthesize it first, and run this command in the project's folder.";
  const stack = choose("--stack", wantedStack, stacks, ({ name }) => [name], {
    none: "This folder has no synthesized stack.",
    remedy: synthesize,
  });
  const [unreadable] = stack.unreadable;
  if (unreadable !== undefined) {
    const { file, why } = unreadable;
    throw new IamTokensError("ERR_USAGE", `${quote(file)} of the stack ${why}.`, {
      remedy: synthesize,
    });
  }
  const tokens = stack.tokens.filter(({ type }) => type === IAM_TOKEN);
  const token = choose("--token", wantedToken, tokens, (each) => namesOf(each, stack), {
    none: `The stack ${quote(stack.name)} declares no IAM token.`,
    remedy: "Tokens with resolution: synth, and static tokens, cannot be issued by it.",
  });
  const block = stack.providerBlocks.find(({ alias }) => (alias ?? undefined) === token.alias);
  if (block === undefined && token.alias !== undefined) {
    throw new IamTokensError(
      "ERR_USAGE",
      `The stack ${quote(stack.name)} has no provider block ${quote(token.alias)}.`,
      { remedy: synthesize },
    );
  }
  const { alias: _, ...provider } = block ?? {};
  const { folder } = stack;
  const by = `provider iam${token.alias === undefined ? "" : `.${token.alias}`}`;
  const given = ISSUED_BY.map((name) => [name, token.config[name]]);
  return {
    folder,
    provider: known(provider, folder, by),
    token: known(Object.fromEntries(given), folder, `token ${quote(token.name)}`),
  };
}

/**
 * A token's name in Terraform, the path of its construct as the program and the stack see it, and
 * the construct's id.
 */
function namesOf({ name, config }: DeclaredToken, stack: Stack): readonly string[] {
  const comment = config["//"] as { readonly metadata?: { readonly path?: unknown } } | undefined;
  const path = comment?.metadata?.path;
  if (typeof path !== "string") return [name];
  const construct = path.replace(/\/Default$/, "");
  const inStack = construct.startsWith(`${stack.name}/`)
    ? construct.slice(stack.name.length + 1)
    : construct;
  return [inStack, construct, name, inStack.slice(inStack.lastIndexOf("/") + 1)];
}

/** The one that is named, or the only one. */
function choose<Value>(
  option: string,
  wanted: string | undefined,
  all: readonly Value[],
  namesOfOne: (value: Value) => readonly string[],
  { none, remedy }: { readonly none: string; readonly remedy: string },
): Value {
  if (all.length === 0) throw new IamTokensError("ERR_USAGE", none, { remedy });
  const named = all.map((value) => ({ value, names: namesOfOne(value) }));
  // A whole path decides before an id does, which several may have.
  const ranks = Array.from({ length: 4 }, (_, rank) => rank);
  const found =
    wanted === undefined
      ? named
      : (ranks
          .map((rank) => named.filter(({ names }) => names[rank] === wanted))
          .find((matching) => matching.length > 0) ?? []);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.value;
  const candidates = (only === undefined ? named : found).map(({ names }) => names[0] ?? "");
  const meant =
    only === undefined
      ? nearest(
          wanted ?? "",
          named.flatMap(({ names }) => names),
        )
      : undefined;
  const problem =
    wanted === undefined
      ? `${option} is not given, and there are ${all.length}.`
      : `${option} is ${quote(wanted)}, which ${only === undefined ? "does not exist" : "several have"}.`;
  throw new IamTokensError("ERR_USAGE", problem, {
    allowed: [...new Set(candidates)].map(quote).join(", "),
    remedy: meant === undefined ? "Give one of them." : `Did you mean ${quote(meant)}?`,
  });
}

function known(given: TerraformJson, folder: string, whose: string): Known {
  const texts: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || name === "//") continue;
    const text = knownValue(value, folder);
    if (text === undefined) {
      throw new IamTokensError(
        "ERR_RESOLUTION_UNKNOWN",
        `${name} of ${whose} is an expression: only Terraform knows its value.`,
        {
          remedy:
            "Give everything yourself: --auth-url, --account, --user, and --project or --scope.",
        },
      );
    }
    texts[name] = text;
  }
  return texts;
}
