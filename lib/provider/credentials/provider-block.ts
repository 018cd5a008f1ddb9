import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../plugin/provider";
import { BLOCK, type IamTokensError, setting, type Text } from "../../tokens";
import { ARGUMENTS, type ArgumentKind, OPTIONS } from "../../tokens/provider-arguments";
import { isSecretArgument, PARTS, placesOf, type SecretKind } from "../../tokens/ways";
import {
  type Argument,
  argument,
  isKnown,
  knownText,
  listArgument,
  textArgument,
} from "../configuration/argument";
import { assertValue } from "../configuration/argument-checks";
import { pathTo } from "../configuration/argument-path";
import { checkOfBlock } from "../configuration/block-checks";
import { inConstructWords } from "../configuration/construct-words";
import { toDiagnostic } from "../configuration/diagnostics";
import { isConstructPath } from "../names";
import { placedSecret, type SecretReference } from "../secrets/secret-reference";
import { type Judged, judged, type Mistake, missing, mistakeOf } from "./judged";
import { filesBy, type Given, isKnownPart, originOf, type Source } from "./source";
import { twoSources } from "./which-counts";

/** `provider "iam"`. Without any arguments, only opening a token is an error. */
export const PROVIDER_BLOCK: BlockSchema = {
  description:
    "The identity service, and how to sign in for IAM tokens: with a service user's password, an application credential or an " +
    "identity token. All parts come from one source: this block, the entry of clouds.yaml that it names, or the environment " +
    "(OS_CLOUD, or OS_AUTH_URL and the others). Static tokens need none of them.",
  attributes: Object.fromEntries(
    ARGUMENTS.map(({ name, kind, description }) => [
      name,
      argument(kind === "command" ? ["list", "string"] : "string", description, {
        optional: true,
        ...(kind === "value" && { sensitive: true }),
      }),
    ]),
  ),
};

type OptionName = (typeof OPTIONS)[number]["name"];

/** A `provider "iam"` block. */
export interface ProviderBlock extends Readonly<Record<OptionName, Argument<string>>> {
  /** The block as a source of credentials. Secrets are wrapped: a session can be logged. */
  readonly source: Source;
  readonly judged: Judged;
  /** All mistakes of the block. Unknown values have none. */
  readonly mistakes: readonly Mistake[];
  readonly declared_by: string | undefined;
}

/** Reads a provider block, and nothing that it names. */
export function toProviderBlock(config: CtyObject): ProviderBlock {
  const options = OPTIONS.map(({ name }) => [name, textArgument(config, name)] as const);
  const source = sourceIn(config);
  const own = judged(source);
  return {
    ...(Object.fromEntries(options) as Record<OptionName, Argument<string>>),
    source,
    judged: own,
    mistakes: [...own.mistakes, ...mistakesOf(config, source)],
    declared_by: constructPath(config),
  };
}

function sourceIn(config: CtyObject): Source {
  const own = { kind: "arguments", title: BLOCK, givenBy: "block" } as const;
  return {
    ...own,
    given: PARTS.flatMap(({ argument, kind }) => {
      const isSecret = isSecretArgument(argument);
      const places = isSecret ? placesOf(argument) : [{ name: argument, kind }];
      return places.flatMap((place): readonly Given[] => {
        const { name } = place;
        const value = argumentOf(config, name, place.kind);
        if (value === null) return [];
        if (!isKnown(value)) return [{ argument, name }];
        const secret = () => secretBy(place.kind as SecretKind, value, originOf(own, name));
        return [{ argument, name, ...(isSecret ? { secret: secret() } : { text: `${value}` }) }];
      });
    }),
    files: filesBy(own, (name) => knownText(config, name)),
    unknown: ARGUMENTS.flatMap(({ name, kind }) =>
      kind !== "own" && argumentOf(config, name, kind) === UNKNOWN ? [name] : [],
    ),
  };
}

function argumentOf(config: CtyObject, name: string, kind: ArgumentKind) {
  return kind === "command" ? listArgument(config, name) : textArgument(config, name);
}

function secretBy(
  kind: SecretKind,
  value: string | readonly unknown[],
  origin: Text,
): SecretReference {
  if (typeof value !== "string") return { kind: "command", place: value, origin };
  if (kind === "audience") return { kind, place: value, origin };
  return placedSecret(kind === "command" ? "value" : kind, value, origin);
}

/** The mistakes in what a block has beside a source. */
function mistakesOf(config: CtyObject, source: Source): readonly Mistake[] {
  const hasCloud = knownText(config, "cloud") !== undefined;
  const given = source.given.filter(isKnownPart).map(({ name }) => setting(name));
  return [
    ...OPTIONS.flatMap(({ name, kind }) => {
      const value = knownText(config, name);
      if (value === undefined) return [];
      return mistakeOf(name, () => assertValue(kind, originOf(source, name), value));
    }),
    ...(hasCloud && given.length > 0
      ? [{ name: "cloud", error: twoSources(setting("cloud"), given) }]
      : []),
  ];
}

/** The diagnostics of a provider block: all mistakes at once, each on its argument. */
export const validateProviderBlock = checkOfBlock((config) =>
  mistakesIn(config, toProviderBlock(config)),
);

/** The same of a block that has to give a whole way of signing in. */
export const validateWholeBlock = checkOfBlock((config) => {
  const block = toProviderBlock(config);
  const found = mistakesIn(config, block);
  if (found.length > 0 || block.judged.lacking.length === 0) return found;
  return [toDiagnostic(inWordsOfBlock(block, missing(block.judged)))];
});

const mistakesIn = (config: CtyObject, block: ProviderBlock): readonly Diagnostic[] =>
  block.mistakes.map(({ name, error }) =>
    toDiagnostic(inWordsOfBlock(block, error), pathTo(name, config[name])),
  );

/** An error in the words of the program that declared the block. */
export function inWordsOfBlock<E>(
  { declared_by, judged: { way } }: ProviderBlock,
  error: E,
): E | IamTokensError {
  return inConstructWords(error, declared_by, way);
}

/** The path of a construct; anything else is not repeated in messages. */
function constructPath(config: CtyObject): string | undefined {
  const path = knownText(config, "declared_by");
  return path !== undefined && isConstructPath(path) ? path : undefined;
}
