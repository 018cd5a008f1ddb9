import type { AuthUrl } from "../../tokens";
import {
  isSecretArgument,
  type Part,
  SECRET_ARGUMENTS,
  WAYS,
  type Way,
  type WayName,
} from "../../tokens/ways";
import type { BlockArguments } from "../blocks/block";
import { emittable, isExpression } from "../props/expression";
import type { Mistakes } from "../props/mistakes";
import { checkProps } from "../props/props";
import { checkAccount, checkAuthUrl, checkName, checkSegment } from "../props/texts";
import { checkSecret, type SecretSource } from "../values/secret-ref";
import type { SecretArgumentNames } from "./secret-arguments";

/** A secret of the properties, with the arguments that can give it. */
export interface DeclaredSecret {
  readonly source: SecretSource;
  /** `serviceUser.password` */
  readonly property: string;
  readonly names: SecretArgumentNames;
}

/** The parts of the credentials, as far as synthesis knows them. */
interface IdentitySource {
  readonly parsedUrl: AuthUrl | undefined;
  /** Undefined if only the provider will know it, empty if it is wrong. */
  readonly url: string | undefined;
  readonly texts: BlockArguments;
  /** Undefined if only the provider will know it, or if it is wrong. */
  readonly way: WayName | undefined;
  readonly secret: DeclaredSecret | undefined;
}

/** Values for the provider's search: a cloud or, without one, the environment. */
interface LookUp {
  readonly cloud?: unknown;
}

const LOOK_UP = Symbol("look-up");

/**
 * Options as properties of a service whose credentials the provider looks up. Anything but an
 * object is left to the check of the properties.
 */
export function withLookUp(options: object, lookUp: LookUp): object {
  return typeof options === "object" && options !== null
    ? { ...options, [LOOK_UP]: lookUp }
    : options;
}

/** The value that {@link withLookUp} has added. */
export function lookUpIn(props: unknown): LookUp | undefined {
  return typeof props === "object" && props !== null ? Reflect.get(props, LOOK_UP) : undefined;
}

/** Credentials that are looked up. */
export function checkLookUp(lookUp: LookUp, mistakes: Mistakes): IdentitySource {
  if ("cloud" in lookUp) checkName("cloud", lookUp.cloud, mistakes);
  return {
    parsedUrl: undefined,
    url: undefined,
    texts: { cloud: emittable(lookUp.cloud) },
    way: undefined,
    secret: undefined,
  };
}

/**
 * Credentials that are given, the secret by reference: exactly one way of signing in. Of two, the
 * mistakes of both are reported.
 */
export function checkCredentials(
  given: Readonly<Record<string, unknown>>,
  mistakes: Mistakes,
): IdentitySource {
  const parsedUrl = checkAuthUrl(given.authUrl, mistakes);
  const url =
    parsedUrl !== undefined || isExpression(given.authUrl) ? (given.authUrl as string) : "";
  const chosen = WAY_PROPERTIES.filter((property) => given[property] !== undefined);
  if (chosen.length === 0)
    mistakes.add("ERR_PROP_INVALID", `None of ${WAY_PROPERTIES.join(", ")} is given.`, {
      allowed: `exactly one of them, such as ${EXAMPLE}`,
    });
  if (chosen.length > 1)
    mistakes.add("ERR_CREDENTIALS_MIXED", `${chosen.join(" and ")} are given.`, {
      allowed: `exactly one of ${WAY_PROPERTIES.join(", ")}`,
      remedy: "Keep one of them.",
    });
  const found = chosen.map((property) => checkWay(property, given[property], mistakes));
  const mayLackAccount = found.some(({ way }) =>
    way?.parts.some(({ argument, optional }) => argument === "account_id" && optional),
  );
  if (given.accountId !== undefined || !mayLackAccount) checkAccount(given.accountId, mistakes);
  const [first] = found;
  return {
    parsedUrl,
    url,
    way: first?.way?.name,
    texts: { auth_url: url, account_id: emittable(given.accountId), ...first?.texts },
    secret: first?.secret,
  };
}

/** The properties that have the parts of a way. */
export const WAY_PROPERTIES: readonly string[] = [...new Set(WAYS.map(({ property }) => property))];

const EXAMPLE = 'serviceUser: { name: "…", password: SecretRef.env("…") }';

interface GivenWay {
  readonly way?: Way;
  readonly texts: BlockArguments;
  readonly secret?: DeclaredSecret | undefined;
}

/** The parts of a way, all of them and no others. */
function checkWay(property: string, value: unknown, mistakes: Mistakes): GivenWay {
  if (typeof value !== "object" || value === null) {
    // A string here may well be the secret.
    mistakes.add("ERR_PROP_INVALID", `${property} is a value of type ${typeof value}.`, {
      allowed: `an object, such as ${EXAMPLE}`,
    });
    return { texts: {} };
  }
  const ways = WAYS.filter((way) => way.property === property);
  const nameOf = (part: Part) => part.property.slice(property.length + 1);
  const own = (way: Way) => way.parts.filter((part) => part.property.startsWith(`${property}.`));
  const names = [...new Set(ways.flatMap(own).map(nameOf))];
  const parts = checkProps(value, names, mistakes);
  const isGiven = (part: Part): boolean => parts[nameOf(part)] !== undefined;
  // Of an application credential by id and by name: the one with more of what is given.
  const way = ways.reduce((best, each) =>
    own(each).filter(isGiven).length > own(best).filter(isGiven).length ? each : best,
  );
  const outside = ways.flatMap(own).filter((part) => isGiven(part) && !own(way).includes(part));
  for (const part of outside)
    mistakes.add(
      "ERR_CREDENTIALS_MIXED",
      `${part.property} is given with ${list(own(way).filter(isGiven).map(nameOf))}.`,
      { allowed: ways.map((each) => `{ ${own(each).map(nameOf).join(", ")} }`).join(", ") },
    );
  const texts: Record<string, unknown> = {};
  let secret: DeclaredSecret | undefined;
  for (const part of own(way)) {
    const given = parts[nameOf(part)];
    if (isSecretArgument(part.argument)) {
      const kinds = Object.keys(SECRET_ARGUMENTS[part.argument]);
      const source = checkSecret(part.property, given, mistakes, kinds);
      secret = source && {
        source,
        property: part.property,
        names: SECRET_ARGUMENTS[part.argument],
      };
    } else {
      const check = part.isSegment ? checkSegment : checkName;
      check(part.property, given, mistakes);
      texts[part.argument] = emittable(given);
    }
  }
  return { way, texts, secret };
}

function list(words: readonly string[]): string {
  return words.join(" and ");
}
