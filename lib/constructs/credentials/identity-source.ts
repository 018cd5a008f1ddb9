import type { AuthUrl } from "../../tokens";
import type { BlockArguments } from "../blocks/block";
import { emittable, isExpression } from "../props/expression";
import type { Mistakes } from "../props/mistakes";
import { checkProps } from "../props/props";
import { checkAccount, checkAuthUrl, checkName } from "../props/texts";
import { checkSecret, type SecretSource } from "../values/secret-ref";

/**
 * Address, account, user and password, as far as synthesis knows them.
 */
interface IdentitySource {
  readonly parsedUrl: AuthUrl | undefined;
  /** Undefined if only the provider will know it, empty if it is wrong. */
  readonly url: string | undefined;
  readonly texts: BlockArguments;
  readonly password: SecretSource | undefined;
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
    password: undefined,
  };
}

/** Credentials that are given, the password by reference. */
export function checkCredentials(
  given: Readonly<Record<string, unknown>>,
  mistakes: Mistakes,
): IdentitySource {
  const parsedUrl = checkAuthUrl(given.authUrl, mistakes);
  const url =
    parsedUrl !== undefined || isExpression(given.authUrl) ? (given.authUrl as string) : "";
  checkAccount(given.accountId, mistakes);
  const user = checkServiceUser(given.serviceUser, mistakes);
  return {
    parsedUrl,
    url,
    texts: {
      auth_url: url,
      account_id: emittable(given.accountId),
      user_name: emittable(user.name),
    },
    password: user.password,
  };
}

function checkServiceUser(
  value: unknown,
  mistakes: Mistakes,
): { readonly name: unknown; readonly password: SecretSource | undefined } {
  if (typeof value !== "object" || value === null) {
    // A string here may well be the password.
    mistakes.add(
      "ERR_PROP_INVALID",
      `serviceUser is ${value === undefined ? "missing" : `a value of type ${typeof value}`}.`,
      {
        allowed: '{ name: "…", password: SecretRef.env("…") }',
      },
    );
    return { name: undefined, password: undefined };
  }
  const user = checkProps(value, ["name", "password"], mistakes);
  checkName("serviceUser.name", user.name, mistakes);
  return {
    name: user.name,
    password: checkSecret("serviceUser.password", user.password, mistakes),
  };
}
