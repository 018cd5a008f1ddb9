/**
 * The ways of signing in: the one table of their parts, and of the settings that give each part.
 * Schema, validation, messages, constructs and the table in docs/signing-in.md come from it. The
 * next way is one row here, and one case of the credentials in identity.
 */

/** A part of a way of signing in, and the settings that give it, the usual one first. */
export interface Part {
  /** Its name in messages. */
  readonly name: string;
  /** The argument of the provider block; of a secret, the one of its value. */
  readonly argument: TextArgument | SecretArgument;
  /** The property of the constructs; null if they have none. */
  readonly property: string | null;
  /** Variables of OpenStack's clients, the one that counts first. */
  readonly variables: readonly [string, ...string[]];
  /** Keys of clouds.yaml for the same, with `_`. */
  readonly keys: readonly [string, ...string[]];
  /** The usual settings of files for it, if these are another part's, of which it is the default. */
  readonly usual?: { readonly variables: string; readonly keys: string };
  /** Whether it may be left out, by what else is given. @default - never */
  readonly optional?: (has: Has) => boolean;
  /** Is a segment of an address that the identity token is sent to. */
  readonly isSegment?: true;
}

type Has = (argument: Part["argument"]) => boolean;

/** Arguments of a text. */
export type TextArgument =
  | "auth_url"
  | "account_id"
  | "account_domain_id"
  | "user_name"
  | "user_id"
  | "user_domain_name"
  | "user_domain_id"
  | "project_domain_name"
  | "project_domain_id"
  | "application_credential_id"
  | "application_credential_name"
  | "identity_provider"
  | "protocol";

/** Arguments of a secret's value. */
export type SecretArgument = "password" | "application_credential_secret" | "oidc_token";

/** How a secret can be given, by its arguments: the value, or where it is. */
export type SecretKind = "value" | "env" | "file" | "command" | "audience";

/** The arguments for a secret. Only GitHub Actions gives tokens by audience. */
export const SECRET_ARGUMENTS = {
  password: {
    value: "password",
    env: "password_env",
    file: "password_file",
    command: "password_command",
  },
  application_credential_secret: {
    value: "application_credential_secret",
    env: "application_credential_secret_env",
    file: "application_credential_secret_file",
    command: "application_credential_secret_command",
  },
  oidc_token: {
    value: "oidc_token",
    env: "oidc_token_env",
    file: "oidc_token_file",
    command: "oidc_token_command",
    audience: "oidc_audience",
  },
} as const satisfies Record<SecretArgument, Partial<Record<SecretKind, string>>>;

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

/** The variable of a key. */
export const variableOfKey = (key: string): string => `OS_${key.toUpperCase()}`;

const settings = (
  first: string,
  ...others: readonly string[]
): Pick<Part, "variables" | "keys"> => ({
  variables: [variableOfKey(first), ...others.map(variableOfKey)],
  keys: [first, ...others],
});

/** The settings of a project, which are no part of a way. */
export const PROJECT = {
  id: settings("project_id", "tenant_id"),
  name: settings("project_name", "tenant_name"),
};

const ADDRESS: Part = {
  name: "address",
  argument: "auth_url",
  property: "authUrl",
  ...settings("auth_url"),
};

const always = () => true;

/** The account, by its name or id: the domain of whatever else is given by name alone. */
const ACCOUNT: readonly Part[] = [
  {
    name: "account",
    argument: "account_id",
    property: "accountId",
    ...settings("domain_name"),
    usual: { variables: "OS_USER_DOMAIN_NAME", keys: "user_domain_name" },
    // The domain of a user by name. That of a scope is judged with the token.
    optional: (has) =>
      (["account_domain_id", "user_domain_name", "user_domain_id", "user_id"] as const).some(has),
  },
  {
    name: "account's id",
    argument: "account_domain_id",
    property: "accountDomainId",
    ...settings("domain_id"),
    optional: always,
  },
];

/** The domain of the projects, where it is not the account. */
const PROJECT_DOMAIN: readonly Part[] = [
  {
    name: "project's domain",
    argument: "project_domain_name",
    property: "projectDomainName",
    ...settings("project_domain_name", "domain_name", "default_domain_name"),
    optional: always,
  },
  {
    name: "project's domain's id",
    argument: "project_domain_id",
    property: "projectDomainId",
    ...settings("project_domain_id", "domain_id", "default_domain_id"),
    optional: always,
  },
];

const USER_NAME = {
  name: "user",
  argument: "user_name",
  ...settings("username", "user_name"),
} as const satisfies Partial<Part>;

const USER_ID = {
  name: "user's id",
  argument: "user_id",
  ...settings("user_id"),
  optional: always,
} as const satisfies Partial<Part>;

/** The domain of the user, where it is not the account. */
const userDomain = (byName: string | null, byId: string | null): readonly Part[] => [
  {
    name: "user's domain",
    argument: "user_domain_name",
    property: byName,
    ...settings("user_domain_name", "domain_name", "default_domain_name"),
    optional: always,
  },
  {
    name: "user's domain's id",
    argument: "user_domain_id",
    property: byId,
    ...settings("user_domain_id", "domain_id", "default_domain_id"),
    optional: always,
  },
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
      { ...USER_NAME, property: "serviceUser.name", optional: (has) => has("user_id") },
      { ...USER_ID, property: "serviceUser.id" },
      {
        name: "password",
        argument: "password",
        property: "serviceUser.password",
        ...settings("password"),
      },
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
      {
        name: "application credential's id",
        argument: "application_credential_id",
        property: "applicationCredential.id",
        ...settings("application_credential_id"),
        optional: (has) => has("application_credential_name"),
      },
      {
        name: "application credential's name",
        argument: "application_credential_name",
        property: "applicationCredential.name",
        ...settings("application_credential_name"),
        optional: always,
      },
      {
        ...USER_NAME,
        property: "applicationCredential.userName",
        // A name is unique only among those of one user.
        optional: (has) => has("user_id") || !isByName(has),
      },
      { ...USER_ID, property: "applicationCredential.userId" },
      ...userDomain("applicationCredential.userDomainName", "applicationCredential.userDomainId"),
      ...ACCOUNT.map((part) => ({
        ...part,
        optional: (has: Has) => !isByName(has) || part.optional?.(has) === true,
      })),
      {
        name: "application credential's secret",
        argument: "application_credential_secret",
        property: "applicationCredential.secret",
        ...settings("application_credential_secret"),
      },
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
      ...ACCOUNT.map((part) => ({ ...part, optional: always })),
      {
        name: "identity provider",
        argument: "identity_provider",
        property: "federation.identityProvider",
        ...settings("identity_provider"),
        isSegment: true,
      },
      {
        name: "protocol",
        argument: "protocol",
        property: "federation.protocol",
        ...settings("protocol"),
        isSegment: true,
      },
      {
        name: "identity token",
        argument: "oidc_token",
        property: "federation.token",
        ...settings("access_token"),
      },
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

/** The arguments that give a part: of a secret, one for each place. */
export function argumentsOf({ argument }: Part): readonly string[] {
  return isSecretArgument(argument) ? Object.values(SECRET_ARGUMENTS[argument]) : [argument];
}

/** The parts of all ways, each argument once, as its first row has it. */
export const PARTS: readonly Part[] = WAYS.flatMap(({ parts }) => parts).filter(
  ({ argument }, index, all) => all.findIndex((each) => each.argument === argument) === index,
);
