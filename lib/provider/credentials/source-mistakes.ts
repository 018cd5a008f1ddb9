import {
  defined,
  IamTokensError,
  ofProcess,
  setting,
  type Text,
  type Words,
  words,
} from "../../tokens";
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
} from "../../tokens/ways";
import { assertValue } from "../configuration/argument-checks";
import { are, list } from "../wording";
import { type Given, givenIn, inWords, originOf, outside, type Source, wayOf } from "./source";

/** A mistake in a source, with the setting that has it. */
export interface Mistake {
  readonly name: string;
  readonly error: IamTokensError;
}

/** All mistakes in what a source gives, without reading anything. */
export function mistakesIn(source: Source): readonly Mistake[] {
  const ofTexts = source.texts.flatMap(({ argument, name, text }) =>
    mistakeOf(name, () => assertValue(PART_ROWS[argument].kind, originOf(source, name), text)),
  );
  return [...ofTexts, ...mistakesTogether(source)];
}

/**
 * Settings that do not fit together. Unknown ones always do; half a way is no mistake yet, because
 * another source may give it all: see {@link missingIn}.
 */
export function mistakesTogether(source: Source): readonly Mistake[] {
  return [
    ...PARTS.flatMap((part) => givenTwice(source, part)),
    ...twoWays(source),
    ...halfCertificate(source),
  ];
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

/** Of two settings for one secret, nobody knows which one counts. */
function givenTwice(source: Source, part: Part): readonly Mistake[] {
  const given = source.secrets.filter(({ argument }) => argument === part.argument);
  const last = given.at(-1);
  if (last === undefined || given.length < 2) return [];
  const problem = words`In ${source.title}, ${namesOf(source, given)} give the ${part.name} in different ways.`;
  return mixed(last.name, problem, "Keep one of them.");
}

/** Parts that no way has together. */
function twoWays(source: Source): readonly Mistake[] {
  const known = givenIn({ ...source, unknown: [] });
  const way = wayOf(source, known);
  const others = outside(way, known);
  const last = others.at(-1);
  if (last === undefined) return [];
  const names = namesOf(source, others);
  const [verb, them] = others.length > 1 ? ["belong", "them"] : ["belongs", "it"];
  return mixed(
    last.name,
    words`In ${source.title}, ${names} ${verb} to another way of signing in than ${way.text}.`,
    words`Remove ${names}, or sign in with ${them} alone.`,
  );
}

/** One setting may give several parts. */
function namesOf(source: Source, given: readonly Given[]): Words {
  const names = new Set(given.map(({ name }) => name));
  return list([...names].map((name) => inWords(source, name)));
}

const mixed = (name: string, problem: Text, remedy: Text): readonly Mistake[] => [
  { name, error: new IamTokensError("ERR_CREDENTIALS_MIXED", problem, { remedy }) },
];

function halfCertificate({ files: { cert, key }, unknown }: Source): readonly Mistake[] {
  const one = cert ?? key;
  const [name, other] = cert ? ["cert_file", "key_file"] : ["key_file", "cert_file"];
  if (one === undefined || (cert && key) || unknown.includes(other)) return [];
  const problem = words`${one.origin} is given without the other half: a certificate and its key belong together.`;
  return [{ name, error: new IamTokensError("ERR_CERTIFICATE_INVALID", problem) }];
}

/** The error of a source that lacks parts of its way of signing in. */
export function missingIn(source: Source): IamTokensError | undefined {
  return lackingIn(source).length === 0 ? undefined : missing(source);
}

function lackingIn(source: Source): readonly Part[] {
  const given = givenIn(source);
  const has = (argument: PartArgument) => given.some((each) => each.argument === argument);
  return wayOf(source, given).parts.filter(
    ({ argument, optional }) => !has(argument) && optional?.(has) !== true,
  );
}

/** The same for a source that lacks some. */
export function missing(source: Source): IamTokensError {
  const { title, kind, unused = [], empty = [], ways = WAYS, addressHint } = source;
  const lacking = lackingIn(source);
  const given = givenIn(source);
  const gives = given.length === 0 ? "" : words` gives ${namesOf(source, given)}, but`;
  const beside = unused.filter((name) => lacking.some((part) => variablesOf(part).includes(name)));
  const more =
    beside.length === 0
      ? undefined
      : words`One source gives all parts: ${are(beside.map(ofProcess))} set, but not used with ${title}.`;
  const settings = lacking.map((part): Text => {
    if (kind !== "arguments") {
      const key = part.usual ?? part.keys[0];
      const first = kind === "variables" ? variableOfKey(key) : key;
      return empty.includes(first) ? `${first}, which is empty` : first;
    }
    if (!isSecretArgument(part.argument)) return setting(part.argument);
    const variable = beside.find((name) => variablesOf(part).includes(name));
    const { env } = SECRET_ARGUMENTS[part.argument];
    return variable === undefined ? setting(env) : words`${setting(env)} = "${variable}"`;
  });
  const place = kind === "keys" ? "auth, in clouds.yaml or secure.yaml" : title;
  const step =
    addressHint !== undefined && lacking.some(({ argument }) => argument === "auth_url")
      ? addressHint
      : kind === "variables"
        ? words`Set ${list(settings)}.`
        : words`Add ${list(settings)} to ${place}.`;
  const type = kind === "variables" ? "OS_AUTH_TYPE" : "auth_type";
  const untyped =
    ways.length === WAYS.length ? "" : ` Or remove ${type}, which selects ${wayOf(source).text}.`;
  return new IamTokensError(
    beside.length === 0 ? "ERR_CREDENTIALS_MISSING" : "ERR_CREDENTIALS_MIXED",
    words`${title.capitalized()}${gives} lacks ${list(lacking.map(({ name }) => `the ${name}`))}.`,
    defined({ more, remedy: words`${step}${untyped}` }),
  );
}

/** The error of a selected cloud together with other parts of the credentials. */
export function cloudAndParts(selector: Text, beside: readonly Text[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`${selector} names an entry of clouds.yaml, but ${are(beside)} given: two sources.`,
    { remedy: words`Remove ${selector}, or remove ${list(beside)}.` },
  );
}
