/**
 * The ways of signing in: the one table of their parts, and of the settings that give each part.
 * Schema, validation, messages, constructs and the table in docs/api/ways.md come from it. The
 * next way is one row here, and one case of the credentials in identity.
 */

/** A part of a way of signing in, and the settings that give it, the usual one first. */
export interface Part extends PartRow {
  /** The argument of the provider block; of a secret, the one of its value. */
  readonly argument: PartArgument;
  /** The property of the constructs; null if they have none. */
  readonly property: string | null;
  /** Whether it may be left out, by what else is given. @default - never */
  readonly optional?: ((has: Has) => boolean) | undefined;
}

export interface PartRow {
  /** Its name in messages. */
  readonly name: string;
  /** The kind of its argument: a string of some form, or the value of a secret. */
  readonly kind: "address" | "account" | "name" | "segment" | "value";
  /** The description of its argument, or of the secret. */
  readonly description: string;
  /** Keys of clouds.yaml, with `_`, the one that counts first. See {@link variableOfKey}. */
  readonly keys: readonly [string, ...string[]];
  /** The usual key for it, if that is another part's, of which it is the default. */
  readonly usual?: string;
}

type Has = (argument: PartArgument) => boolean;

/** The variable of OpenStack's clients for a key of clouds.yaml. */
export const variableOfKey = (key: string): string => `OS_${key.toUpperCase()}`;

/** The settings of a project, which do not belong to a way. */
export const PROJECT = {
  id: { keys: ["project_id", "tenant_id"] },
  name: { keys: ["project_name", "tenant_name"] },
};

/** The variables that give a part, or its default. */
export const variablesOf = ({ keys, usual }: Pick<PartRow, "keys" | "usual">): string[] =>
  [keys, usual ?? []].flat().map(variableOfKey);

/** The parts of all ways, by their arguments, in the order of the provider's schema. */
export const PART_ROWS = {
  auth_url: {
    name: "address",
    kind: "address",
    description:
      "Address of the identity service. One that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets " +
      "/identity/v3. https only, except on loopback.",
    keys: ["auth_url"],
  },
  account_id: {
    name: "account",
    kind: "account",
    description:
      "Account number, as a string: the name of the domain of the user, of projects and of account tokens. Not needed for what has an " +
      "id, or a domain of its own.",
    keys: ["domain_name"],
    usual: "user_domain_name",
  },
  account_domain_id: {
    name: "account's id",
    kind: "account",
    description: "Id of the account's domain, in place of account_id.",
    keys: ["domain_id"],
  },
  user_name: {
    name: "user",
    kind: "name",
    description: "Name of the service user.",
    keys: ["username", "user_name"],
  },
  user_id: {
    name: "user's id",
    kind: "name",
    description: "Id of the service user, in place of user_name.",
    keys: ["user_id"],
  },
  user_domain_name: {
    name: "user's domain",
    kind: "account",
    description: "Name of the user's domain. By default the account's.",
    keys: ["user_domain_name", "domain_name", "default_domain_name"],
  },
  user_domain_id: {
    name: "user's domain's id",
    kind: "account",
    description: "Id of the user's domain. By default the account's.",
    keys: ["user_domain_id", "domain_id", "default_domain_id"],
  },
  password: {
    name: "password",
    kind: "value",
    description: "Password of the service user",
    keys: ["password"],
  },
  project_domain_name: {
    name: "project's domain",
    kind: "account",
    description: "Name of the domain of projects. By default the account's.",
    keys: ["project_domain_name", "domain_name", "default_domain_name"],
  },
  project_domain_id: {
    name: "project's domain's id",
    kind: "account",
    description: "Id of the domain of projects. By default the account's.",
    keys: ["project_domain_id", "domain_id", "default_domain_id"],
  },
  application_credential_id: {
    name: "application credential's id",
    kind: "name",
    description: "Id of an application credential, in place of user_name.",
    keys: ["application_credential_id"],
  },
  application_credential_name: {
    name: "application credential's name",
    kind: "name",
    description:
      "Name of an application credential; with its user, by user_id, or by user_name and the account.",
    keys: ["application_credential_name"],
  },
  application_credential_secret: {
    name: "application credential's secret",
    kind: "value",
    description: "Secret of the application credential",
    keys: ["application_credential_secret"],
  },
  identity_provider: {
    name: "identity provider",
    kind: "segment",
    description:
      "Id of the identity provider at the identity service that accepts the identity token.",
    keys: ["identity_provider"],
  },
  protocol: {
    name: "protocol",
    kind: "segment",
    description: 'Id of the identity provider\'s protocol: "openid", for example.',
    keys: ["protocol"],
  },
  oidc_token: {
    name: "identity token",
    kind: "value",
    description: "Identity token (a JWT) of this job",
    keys: ["access_token"],
  },
} as const satisfies Readonly<Record<string, PartRow>>;

/** Arguments that give a part; of a secret, its value. */
export type PartArgument = keyof typeof PART_ROWS;

/** Arguments of a secret's value. */
export type SecretArgument = "password" | "application_credential_secret" | "oidc_token";

/** Arguments that are not secret. */
export type TextArgument = Exclude<PartArgument, SecretArgument>;

/** How a secret can be given, by its arguments: the value, or where it is. */
export type SecretKind = "value" | "env" | "file" | "command" | "audience";

/** The arguments for a secret. Only GitHub Actions gives tokens by audience. */
export const SECRET_ARGUMENTS: Readonly<Record<SecretArgument, PlaceNames>> = {
  password: placeNames("password"),
  application_credential_secret: placeNames("application_credential_secret"),
  oidc_token: { ...placeNames("oidc_token"), audience: "oidc_audience" },
};

type PlaceNames = ReturnType<typeof placeNames> & { readonly audience?: string };

function placeNames(value: SecretArgument) {
  return { value, env: `${value}_env`, file: `${value}_file`, command: `${value}_command` };
}

/** A way of signing in. */
export interface Way {
  readonly name: WayName;
  /** In messages: "a password". */
  readonly text: string;
  /** The property of the constructs that has its parts. */
  readonly property: string;
  /** Its names in OS_AUTH_TYPE and `auth_type`, as OpenStack's clients know them. */
  readonly types: readonly string[];
  readonly parts: readonly Part[];
  /** Gets tokens for one project, its own: no scope is sent. */
  readonly ownProject?: true;
}

export type WayName = "password" | "application credential" | "identity token";

const part = (
  argument: PartArgument,
  property: string | null,
  optional?: Part["optional"],
): Part => ({ ...PART_ROWS[argument], argument, property, optional });

const always = () => true;

const ADDRESS = part("auth_url", "authUrl");

/** The account, by its name or id: the domain of whatever else is given by name alone. */
const ACCOUNT = [
  // The domain of a user by name. That of a scope is judged with the token.
  part("account_id", "accountId", (has) =>
    (["account_domain_id", "user_domain_name", "user_domain_id", "user_id"] as const).some(has),
  ),
  part("account_domain_id", "accountDomainId", always),
];

/** The domain of the projects, where it is not the account. */
const PROJECT_DOMAIN = [
  part("project_domain_name", "projectDomainName", always),
  part("project_domain_id", "projectDomainId", always),
];

/** The domain of the user, where it is not the account. */
const userDomain = (byName: string | null, byId: string | null) => [
  part("user_domain_name", byName, always),
  part("user_domain_id", byId, always),
];

/** Whether an application credential needs its user. */
const isByName = (has: Has) =>
  has("application_credential_name") && !has("application_credential_id");

/** The ways of signing in; the first one is the one that the service's specification describes. */
export const WAYS: readonly [Way, ...Way[]] = [
  {
    name: "password",
    text: "a password",
    property: "serviceUser",
    types: ["password", "v3password"],
    parts: [
      ADDRESS,
      ...ACCOUNT,
      ...userDomain("serviceUser.domainName", "serviceUser.domainId"),
      part("user_name", "serviceUser.name", (has) => has("user_id")),
      part("user_id", "serviceUser.id", always),
      part("password", "serviceUser.password"),
      ...PROJECT_DOMAIN,
    ],
  },
  {
    name: "application credential",
    text: "an application credential",
    property: "applicationCredential",
    types: ["v3applicationcredential"],
    ownProject: true,
    parts: [
      ADDRESS,
      part("application_credential_id", "applicationCredential.id", (has) =>
        has("application_credential_name"),
      ),
      part("application_credential_name", "applicationCredential.name", always),
      // A name is unique only among those of one user.
      part(
        "user_name",
        "applicationCredential.userName",
        (has) => has("user_id") || !isByName(has),
      ),
      part("user_id", "applicationCredential.userId", always),
      ...userDomain("applicationCredential.userDomainName", "applicationCredential.userDomainId"),
      ...ACCOUNT.map((each) => ({
        ...each,
        optional: (has: Has) => !isByName(has) || each.optional?.(has) === true,
      })),
      part("application_credential_secret", "applicationCredential.secret"),
      ...PROJECT_DOMAIN,
    ],
  },
  {
    name: "identity token",
    text: "an identity token",
    property: "federation",
    types: ["v3oidcaccesstoken"],
    parts: [
      ADDRESS,
      ...ACCOUNT.map((each) => ({ ...each, optional: always })),
      part("identity_provider", "federation.identityProvider"),
      part("protocol", "federation.protocol"),
      part("oidc_token", "federation.token"),
      ...PROJECT_DOMAIN,
      // The user has none of our domains: the account is this one, if nothing else says it.
      ...userDomain(null, null),
    ],
  },
];

/** Whether a way has a project of its own, and no other scope. */
export function hasOwnProject(way: WayName): boolean {
  return WAYS.some(({ name, ownProject }) => name === way && ownProject === true);
}

/** Why such a way gets no account token, in messages. */
export const OWN_PROJECT =
  "an application credential belongs to one project: the service gives it tokens for that project only";

/** Whether a part is a secret, by its argument. */
export function isSecretArgument(argument: string): argument is SecretArgument {
  return Object.hasOwn(SECRET_ARGUMENTS, argument);
}

/** The arguments for a secret, with the kind of its place. */
export function placesOf(secret: SecretArgument) {
  const names = SECRET_ARGUMENTS[secret];
  return (["value", "env", "file", "command", "audience"] as const).flatMap((kind) => {
    const name = names[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
}

/** The arguments that give a part: of a secret, one for each place. */
export function argumentsOf({ argument }: Part): readonly string[] {
  return isSecretArgument(argument) ? placesOf(argument).map(({ name }) => name) : [argument];
}

/** The parts of all ways, each argument once, as its first row has it. */
export const PARTS: readonly Part[] = WAYS.flatMap(({ parts }) => parts).filter(
  ({ argument }, index, all) => all.findIndex((each) => each.argument === argument) === index,
);
