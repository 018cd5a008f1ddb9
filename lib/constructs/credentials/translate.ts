import { isTable } from "../../hcl/json";
import { OPTIONS, propertyOf } from "../../tokens/provider-arguments";
import {
  isSecretArgument,
  SECRET_ARGUMENTS,
  type SecretArgument,
  WAYS,
  type WayName,
} from "../../tokens/ways";
import type { BlockArguments, FilePath } from "../blocks/arguments";
import { type SecretSource, sourceOf } from "../values/secret-ref";
import type { IdentityServiceProps } from "./identity-service-options";
import { secretArguments } from "./secret-arguments";

/** Where the property of an argument is: `password` in `serviceUser`, `authUrl` in none. */
function placeOf(argument: string, property: string) {
  const [name = "", holder = ""] = property.split(".").reverse();
  return { argument, property, name, holder };
}

/** The properties of the ways of signing in. */
const OF_WAYS = WAYS.flatMap(({ parts }) => parts).flatMap(({ argument, property }) =>
  property === null ? [] : placeOf(argument, property),
);
const OF_OPTIONS = OPTIONS.map(({ name }) => placeOf(name, propertyOf(name)));

const FILES = OPTIONS.filter(({ kind }) => kind === "file").map(({ name }): string => name);

/** How a service signs in; undefined if only the provider will know it. */
export function wayOf(props: IdentityServiceProps): WayName | undefined {
  return WAYS.find(({ property }) => memberIn(props, property) !== undefined)?.name;
}

/** Whether the provider looks up the credentials: nothing of a way is given. */
export const isLookedUp = (props: IdentityServiceProps): boolean =>
  OF_WAYS.every(({ name, holder }) => memberIn(memberIn(props, holder), name) === undefined);

/** A secret of the properties. */
interface GivenSecret {
  readonly argument: SecretArgument;
  readonly source: SecretSource;
}

/** The secrets of the properties. Throws for anything but a reference. */
export function secretsOf(props: IdentityServiceProps): readonly GivenSecret[] {
  return OF_WAYS.flatMap(({ argument, property, name, holder }): GivenSecret[] => {
    const owner = memberIn(props, holder);
    if (!isSecretArgument(argument) || owner === undefined) return [];
    const kinds = Object.keys(SECRET_ARGUMENTS[argument]);
    return [{ argument, source: sourceOf(property, memberIn(owner, name), kinds) }];
  });
}

/**
 * The arguments of the provider block for the properties of an identity service, by the table of
 * the ways of signing in. The provider's own validation judges them.
 *
 * @param file the path of a file as Terraform will read it
 */
export function argumentsOf(props: IdentityServiceProps, file: FilePath): BlockArguments {
  const parts = [...OF_WAYS, ...OF_OPTIONS].flatMap(({ argument, name, holder }) => {
    const value = isSecretArgument(argument) ? undefined : memberIn(memberIn(props, holder), name);
    if (value === undefined) return [];
    return [[argument, FILES.includes(argument) ? file(String(value)) : value]];
  });
  const secrets = secretsOf(props).map(({ argument, source }) =>
    secretArguments(source, SECRET_ARGUMENTS[argument], file),
  );
  return {
    // Users have clouds.yaml in the project's folder, but Terraform runs elsewhere.
    ...(isLookedUp(props) && { clouds_folder: file(".") }),
    ...Object.fromEntries(parts),
    ...Object.assign({}, ...secrets),
  };
}

/** A member of the properties, or of an object in them; without a name, they themselves. */
function memberIn(given: unknown, name: string): unknown {
  if (name === "") return given;
  return isTable(given) ? given[name] : undefined;
}
