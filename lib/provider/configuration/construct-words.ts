import { defined, IamTokensError } from "../../tokens";
import { argumentsOf, PARTS, type Part, type Way } from "../../tokens/ways";

/** The arguments that are no part of a way, with the properties of the constructs. */
const OTHERS = {
  cloud: "cloud",
  clouds_folder: "cloudsFolder",
  base_url: "baseUrl",
  ca_file: "caFile",
  cert_file: "certFile",
  key_file: "keyFile",
  retry_for: "retryFor",
};

const propertiesOf = (parts: readonly Part[]): Record<string, string> =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const { property } = part;
      return property === null ? [] : argumentsOf(part).map((name) => [name, property] as const);
    }),
  );

/**
 * The properties of the constructs behind the provider's arguments. Messages are written with the
 * arguments' names; a block that a construct has declared gets them with these.
 */
export const PROPERTIES: Readonly<Record<string, string>> = { ...propertiesOf(PARTS), ...OTHERS };

/** Of the tokens' own arguments, those that errors of an issued token name. */
const OF_TOKENS = {
  project_name: "projectName",
  project_id: "projectId",
  min_remaining: "minRemaining",
  rotate_when_remaining: "rotateWhenRemaining",
};

/** Words of prose: as arguments, they always stand with their block. */
const PROSE = ["cloud", "password", "protocol"];

const WORDS = new Map<string, string>(
  Object.entries({ ...PROPERTIES, ...OF_TOKENS }).filter(([name]) => !PROSE.includes(name)),
);
const BLOCK = "the provider block";

/** A quoted value stays. */
const NAMES = new RegExp(
  String.raw`"(?:[^"\\]|\\.)*"|\b(${PROSE.join("|")}) of ${BLOCK}|\b(${[...WORDS.keys()].join("|")})\b|\b${BLOCK}`,
  "gi",
);

/**
 * An error in the words of the program.
 *
 * @param construct path of the construct that has declared the provider block; undefined in plain
 * HCL, where the error stays
 * @param way of the block: user_name is in two ways
 */
export function inConstructWords<E>(
  error: E,
  construct: string | undefined,
  way?: Way,
): E | IamTokensError {
  if (construct === undefined || !IamTokensError.is(error)) return error;
  const { problem, remedy, allowed, headline } = error;
  const ofWay = propertiesOf(way?.parts ?? []);
  const translated = (text: string): string =>
    text.replace(NAMES, (found, prose?: string, name?: string) => {
      if (prose !== undefined) return `${PROPERTIES[prose]} of ${construct}`;
      if (name !== undefined) return ofWay[name] ?? WORDS.get(name) ?? found;
      return found.startsWith('"') ? found : construct;
    });
  return error.with({
    problem: translated(problem),
    remedy: translated(remedy),
    ...defined({
      allowed: allowed && translated(allowed),
      headline: headline && translated(headline),
    }),
  });
}
