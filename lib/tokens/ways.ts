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
  /** The property of the constructs. */
  readonly property: string;
  readonly variables: readonly [string, ...string[]];
  /** Keys of clouds.yaml, with `_`. */
  readonly keys: readonly [string, ...string[]];
  /** May be left out. */
  readonly optional?: true;
  /** Is a segment of an address that the identity token is sent to. */
  readonly isSegment?: true;
}

/** Arguments of a text. */
export type TextArgument =
  | "auth_url"
  | "account_id"
  | "user_name"
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

/** A way of signing in. An application credential has two rows: by its id, and by its name. */
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

const ADDRESS: Part = {
  name: "address",
  argument: "auth_url",
  property: "authUrl",
  variables: ["OS_AUTH_URL"],
  keys: ["auth_url"],
};

const ACCOUNT: Part = {
  name: "account",
  argument: "account_id",
  property: "accountId",
  variables: ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"],
  keys: ["user_domain_name", "domain_name"],
};

const USER: Part = {
  name: "user",
  argument: "user_name",
  property: "serviceUser.name",
  variables: ["OS_USERNAME"],
  keys: ["username", "user_name"],
};

const APPLICATION_CREDENTIAL = {
  name: "application credential",
  text: "an application credential",
  property: "applicationCredential",
  types: ["v3applicationcredential"],
  ownProject: true,
} as const;

const SECRET: Part = {
  name: "application credential's secret",
  argument: "application_credential_secret",
  property: "applicationCredential.secret",
  variables: ["OS_APPLICATION_CREDENTIAL_SECRET"],
  keys: ["application_credential_secret"],
};

/** The ways of signing in; the first one is the one that the service's specification describes. */
export const WAYS: readonly [Way, ...Way[]] = [
  {
    name: "password",
    text: "a password",
    property: "serviceUser",
    types: ["password", "v3password"],
    parts: [
      ADDRESS,
      ACCOUNT,
      USER,
      {
        name: "password",
        argument: "password",
        property: "serviceUser.password",
        variables: ["OS_PASSWORD"],
        keys: ["password"],
      },
    ],
  },
  {
    ...APPLICATION_CREDENTIAL,
    parts: [
      ADDRESS,
      // It belongs to a project, and so to an account, which is compared with a given one.
      { ...ACCOUNT, optional: true },
      {
        name: "application credential's id",
        argument: "application_credential_id",
        property: "applicationCredential.id",
        variables: ["OS_APPLICATION_CREDENTIAL_ID"],
        keys: ["application_credential_id"],
      },
      SECRET,
    ],
  },
  {
    ...APPLICATION_CREDENTIAL,
    parts: [
      ADDRESS,
      ACCOUNT,
      { ...USER, property: "applicationCredential.userName" },
      {
        name: "application credential's name",
        argument: "application_credential_name",
        property: "applicationCredential.name",
        variables: ["OS_APPLICATION_CREDENTIAL_NAME"],
        keys: ["application_credential_name"],
      },
      SECRET,
    ],
  },
  {
    name: "identity token",
    text: "an identity token",
    property: "federation",
    types: ["v3oidcaccesstoken"],
    parts: [
      ADDRESS,
      // The user has none of our accounts: it is the account of the scope.
      {
        ...ACCOUNT,
        variables: ["OS_PROJECT_DOMAIN_NAME", "OS_DOMAIN_NAME", "OS_USER_DOMAIN_NAME"],
        keys: ["project_domain_name", "domain_name", "user_domain_name"],
      },
      {
        name: "identity provider",
        argument: "identity_provider",
        property: "federation.identityProvider",
        variables: ["OS_IDENTITY_PROVIDER"],
        keys: ["identity_provider"],
        isSegment: true,
      },
      {
        name: "protocol",
        argument: "protocol",
        property: "federation.protocol",
        variables: ["OS_PROTOCOL"],
        keys: ["protocol"],
        isSegment: true,
      },
      {
        name: "identity token",
        argument: "oidc_token",
        property: "federation.token",
        variables: ["OS_ACCESS_TOKEN"],
        keys: ["access_token"],
      },
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

/** Whether a part says nothing about the way, because every way has it. */
export function isShared({ argument }: Part): boolean {
  return WAYS.every(({ parts }) => parts.some((part) => part.argument === argument));
}
