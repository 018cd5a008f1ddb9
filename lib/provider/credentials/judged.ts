import { IamTokensError, ofProcess, setting, type Text, type Words, words } from "../../tokens";
import {
  isSecretArgument,
  PART_ROWS,
  PARTS,
  type Part,
  type PartArgument,
  SECRET_ARGUMENTS,
  variableOfKey,
  variablesOf,
  WAYS,
  type Way,
} from "../../tokens/ways";
import { assertValue } from "../configuration/argument-checks";
import { givenBy } from "../secrets/secret-reference";
import { are, list } from "../wording";
import { type Given, isKnownPart, originOf, type Source, wordOf } from "./source";

/** A mistake in a source, with the setting that has it. */
export interface Mistake {
  readonly name: string;
  readonly error: IamTokensError;
}

/** A source with its way of signing in and its mistakes, found once. */
export interface Judged {
  readonly source: Source;
  /** The first of the ways with all that is given, or with most of it. */
  readonly way: Way;
  /**
   * What the way still needs: no mistake by itself, because another source may give all of it. See
   * {@link missing}.
   */
  readonly lacking: readonly Part[];
  /** Unknown settings have none. */
  readonly mistakes: readonly Mistake[];
}

/** Judges what a source gives, without reading anything. */
export function judged(source: Source): Judged {
  const { given, ways = WAYS } = source;
  const known = given.filter(isKnownPart);
  const way = wayWith(given, ways);
  const has = (argument: PartArgument) => given.some((each) => each.argument === argument);
  return {
    source,
    way,
    lacking: way.parts.filter(
      ({ argument, optional }) => !has(argument) && optional?.(has) !== true,
    ),
    mistakes: [
      ...known.flatMap((each) => wrongValue(source, each)),
      ...PARTS.flatMap((part) => givenTwice(source, part, known)),
      ...otherWay(source, wayWith(known, ways), known),
      ...halfCertificate(source),
    ],
  };
}

/** The settings that are not parts of a way. */
const outside = ({ parts }: Way, given: readonly Given[]) =>
  given.filter(({ argument }) => parts.every((part) => part.argument !== argument));

function wayWith(given: readonly Given[], ways: readonly Way[]): Way {
  const count = (way: Way) => outside(way, given).length;
  const [best = WAYS[0]] = [...ways].sort((one, other) => count(one) - count(other));
  return best;
}

/** The mistake for which a check of a setting throws. */
export function mistakeOf(name: string, check: () => unknown): readonly Mistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return [{ name, error }];
  }
}

const wrongValue = (source: Source, { argument, name, text, secret }: Given) =>
  mistakeOf(name, () => {
    if (text !== undefined) assertValue(PART_ROWS[argument].kind, originOf(source, name), text);
    if (secret !== undefined) assertValue(secret.kind, secret.origin, givenBy(secret));
  });

/** The mistake of a part that is given twice: nobody knows which one counts. */
function givenTwice(source: Source, part: Part, known: readonly Given[]): readonly Mistake[] {
  const given = known.filter(({ argument }) => argument === part.argument);
  if (given.length < 2) return [];
  const problem = words`In ${source.title}, ${namesOf(source, given)} give the ${part.name} in different ways.`;
  return mixed(given, problem, "Keep one of them.");
}

/** Parts that no way has together. */
function otherWay(source: Source, way: Way, known: readonly Given[]): readonly Mistake[] {
  const others = outside(way, known);
  if (others.length === 0) return [];
  const names = namesOf(source, others);
  const problem = words`${source.title.capitalized()} signs in with ${way.text}, and gives ${names} of another way.`;
  return mixed(others, problem, words`Remove ${names}, or what belongs to ${way.text}.`);
}

/** One setting may give several parts. */
function namesOf(source: Source, given: readonly Given[]): Words {
  const names = new Set(given.map(({ name }) => name));
  return list([...names].map((name) => wordOf(source, name)));
}

const mixed = (given: readonly Given[], problem: Text, remedy: Text): readonly Mistake[] =>
  given.slice(-1).map(({ name }) => ({
    name,
    error: new IamTokensError("ERR_CREDENTIALS_MIXED", problem, { remedy }),
  }));

function halfCertificate({ files: { cert, key }, unknown }: Source): readonly Mistake[] {
  const one = cert ?? key;
  const [name, other] = cert ? ["cert_file", "key_file"] : ["key_file", "cert_file"];
  if (one === undefined || (cert && key) || unknown.includes(other)) return [];
  const problem = words`${one.origin} is given without the other half: a certificate and its key belong together.`;
  return [{ name, error: new IamTokensError("ERR_CERTIFICATE_INVALID", problem) }];
}

/**
 * The error of a source that lacks parts of its way.
 *
 * @param unused variables of the environment that are not used with this source
 */
export function missing(
  { source, lacking }: Judged,
  unused: readonly string[] = [],
): IamTokensError {
  const { title, kind, given } = source;
  const gives = given.length === 0 ? "" : words` gives ${namesOf(source, given)}, but`;
  const unusedOf = (part: Part) => unused.find((name) => variablesOf(part).includes(name));
  const settings = lacking.map((part): Text => {
    const key = part.usual ?? part.keys[0];
    if (kind !== "arguments") return kind === "variables" ? variableOfKey(key) : key;
    if (!isSecretArgument(part.argument)) return setting(part.argument);
    const variable = unusedOf(part);
    const env = setting(SECRET_ARGUMENTS[part.argument].env);
    return variable === undefined ? env : words`${env} = "${variable}"`;
  });
  const place = kind === "keys" ? "auth, in clouds.yaml or secure.yaml" : title;
  const others = lacking.flatMap((part) => unusedOf(part) ?? []);
  return new IamTokensError(
    others.length === 0 ? "ERR_CREDENTIALS_MISSING" : "ERR_CREDENTIALS_MIXED",
    words`${title.capitalized()}${gives} lacks ${list(lacking.map(({ name }) => `the ${name}`))}.`,
    {
      ...(others.length > 0 && {
        more: words`One source gives all parts: ${are(others.map(ofProcess))} set, but not used with ${title}.`,
      }),
      remedy:
        kind === "variables"
          ? words`Set ${list(settings)}.`
          : words`Add ${list(settings)} to ${place}.`,
    },
  );
}
