import {
  isSecretArgument,
  PARTS,
  SECRET_ARGUMENTS,
  type SecretArgument,
  WAYS,
  type WayName,
} from "../../tokens/ways";
import type { BlockArguments } from "../blocks/block";
import { type SecretSource, sourceOf } from "../values/secret-ref";
import type { IdentityServiceLookupOptions } from "./identity-service-options";
import { secretArguments } from "./secret-arguments";

/** Of a service that the provider looks up: the cloud or, without one, null for the environment. */
const CLOUD = Symbol("cloud");

/** The properties of an identity service, by their names: a program may not be in TypeScript. */
export type IdentityProps = Readonly<Record<string, unknown>> & { readonly [CLOUD]?: unknown };

/** Options as properties of a service whose credentials the provider looks up. */
export function withLookUp(options: IdentityServiceLookupOptions, cloud: string | null): object {
  return { ...options, [CLOUD]: cloud };
}

/** Whether the provider looks up the credentials when Terraform runs. */
export function isLookedUp(props: IdentityProps): boolean {
  return CLOUD in props;
}

/** How a service signs in; undefined if only the provider will know it. */
export function wayOf(props: IdentityProps): WayName | undefined {
  return WAYS.find(({ property }) => props[property] !== undefined)?.name;
}

/** A secret of the properties. */
interface GivenSecret {
  readonly argument: SecretArgument;
  readonly source: SecretSource;
}

/** The secrets of the properties. Throws for anything but a reference. */
export function secretsOf(props: IdentityProps): readonly GivenSecret[] {
  return PARTS.flatMap(({ argument, property }): GivenSecret[] => {
    if (!isSecretArgument(argument) || property === null) return [];
    const way = property.replace(/\..*/, "");
    if (props[way] === undefined) return [];
    const kinds = Object.keys(SECRET_ARGUMENTS[argument]);
    return [{ argument, source: sourceOf(property, memberOf(props, property), kinds) }];
  });
}

/**
 * The arguments of the provider block for the properties of an identity service, by the table of
 * the ways of signing in. The provider's own validation judges them.
 *
 * @param file the path of a file as Terraform will read it
 */
export function argumentsOf(props: IdentityProps, file: (path: string) => string): BlockArguments {
  const path = (given: unknown) => (typeof given === "string" ? file(given) : given);
  const parts = WAYS.flatMap((way) => way.parts)
    .filter(({ argument }) => !isSecretArgument(argument))
    .map(({ argument, property }) => [argument, memberOf(props, property)] as const);
  return {
    ...Object.fromEntries(parts.filter(([, value]) => value !== undefined)),
    ...Object.assign(
      {},
      ...secretsOf(props).map(({ argument, source }) =>
        secretArguments(source, SECRET_ARGUMENTS[argument], file),
      ),
    ),
    cloud: props[CLOUD] ?? undefined,
    // Users have clouds.yaml in the project's folder, but Terraform runs elsewhere.
    clouds_folder: isLookedUp(props) ? path(props.cloudsFolder ?? ".") : undefined,
    base_url: props.baseUrl,
    ca_file: path(props.caFile),
    cert_file: path(props.certFile),
    key_file: path(props.keyFile),
    retry_for: props.retryFor,
  };
}

/** The value of a property such as `serviceUser.name`. */
function memberOf(props: IdentityProps, property: string | null): unknown {
  return property
    ?.split(".")
    .reduce<unknown>((given, name) => (given as IdentityProps | undefined)?.[name], props);
}
