import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../plugin/provider";
import {
  assertName,
  BLOCK,
  IamTokensError,
  parseBaseUrl,
  parseRetryFor,
  quote,
  setting,
  type Text,
} from "../../tokens";
import { isSecretArgument, SECRET_ARGUMENTS, type SecretArgument } from "../../tokens/ways";
import {
  type Argument,
  argument,
  isKnown,
  knownText,
  listArgument,
  pathTo,
  placeOf,
  textArgument,
} from "../configuration/argument";
import { inConstructWords } from "../configuration/construct-words";
import { checkOfBlock, toDiagnostic } from "../configuration/diagnostics";
import { isConstructPath } from "../names";
import type { Command } from "../process/run-program";
import { assertFilePath, placedSecret } from "../secrets/secret-reference";
import { named } from "../wording";
import {
  cloudAndParts,
  filesBy,
  type Given,
  givenBy,
  type Mistake,
  mistakeOf,
  mistakesIn,
  originOf,
  type Source,
  wayOf,
} from "./source";

/** The arguments of a secret, by its kind of place. */
function secretArguments(name: SecretArgument, what: string): Record<string, string> {
  const { value, env, file, command } = SECRET_ARGUMENTS[name];
  return {
    [value]: `${what}. Prefer ${env}, ${file} or ${command}.`,
    [env]: `Name of the environment variable that holds it: ${what}.`,
    [file]: `File that holds it: ${what}; one newline at its end is cut. Relative to Terraform's working folder.`,
    [command]:
      `Program that prints it, with its arguments, without a shell: ${what}. It has Terraform's environment, 30 s, and no input; ` +
      "one newline at the end of its output is cut.",
  };
}

/** The arguments, with their descriptions. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  auth_url:
    "Address of the identity service. One that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets " +
    "/identity/v3. https only, except on loopback.",
  account_id:
    "Account number, as a string: the name of the domain of the user, of projects and of account tokens. Not needed for what has an " +
    "id, or a domain of its own.",
  account_domain_id: "Id of the account's domain, in place of account_id.",
  user_name: "Name of the service user.",
  user_id: "Id of the service user, in place of user_name.",
  user_domain_name: "Name of the user's domain. By default the account's.",
  user_domain_id: "Id of the user's domain. By default the account's.",
  ...secretArguments("password", "Password of the service user"),
  project_domain_name: "Name of the domain of projects. By default the account's.",
  project_domain_id: "Id of the domain of projects. By default the account's.",
  application_credential_id: "Id of an application credential, in place of user_name.",
  application_credential_name:
    "Name of an application credential; with its user, by user_id, or by user_name and the account.",
  ...secretArguments("application_credential_secret", "Secret of the application credential"),
  identity_provider:
    "Id of the identity provider at the identity service that accepts the identity token.",
  protocol: 'Id of the identity provider\'s protocol: "openid", for example.',
  ...secretArguments("oidc_token", "Identity token (a JWT) of this job"),
  oidc_audience: "Audience of an identity token that GitHub Actions is asked for, at each sign-in.",
  cloud:
    "Entry of clouds.yaml that gives the credentials, overridden by secure.yaml; the provider searches the files in openstacksdk's order.",
  clouds_folder:
    "First folder in which the provider looks for clouds.yaml and secure.yaml. Relative paths in them, in OS_CLIENT_CONFIG_FILE, " +
    "OS_CLIENT_SECURE_FILE, OS_CACERT, OS_CERT and OS_KEY start from it. By default Terraform's working folder.",
  base_url:
    "Base address of the product APIs: all destinations of this block's IAM tokens must be below it, in scheme, host, port and " +
    "path. By default any address is allowed.",
  ca_file:
    "PEM file of the certificate authorities that may issue the identity service's certificate, instead of the public ones. By " +
    "default OS_CACERT, when the environment gives the credentials.",
  cert_file: "PEM file of the client certificate; with key_file.",
  key_file: "PEM file of the client certificate's key, not encrypted; with cert_file.",
  retry_for: 'How long all tries of a request may take: "0s" (one try) to "5m". By default 20 s.',
};

const filePath = (path: string, name: string) => assertFilePath(setting(name), path);

/** The checks of the arguments that are no part of a way of signing in. */
const CHECKS = {
  cloud: (text, name) =>
    assertName(
      setting(name),
      text,
      "ERR_NAME_INVALID",
      "Give the name of an entry of clouds.yaml.",
    ),
  clouds_folder: filePath,
  base_url: (text, name) => void named(setting(name), () => parseBaseUrl(text)),
  ca_file: filePath,
  cert_file: filePath,
  key_file: filePath,
  retry_for: (text, name) => void parseRetryFor(text, setting(name)),
} satisfies Record<string, typeof filePath>;

/** `provider "iam"`. Without any arguments, only opening a token is an error. */
export const PROVIDER_BLOCK: BlockSchema = {
  description:
    "The identity service, and how to sign in for IAM tokens: with a service user's password, an application credential or an " +
    "identity token. All parts come from one source: this block, the entry of clouds.yaml that it names, or the environment " +
    "(OS_CLOUD, or OS_AUTH_URL and the others). Static tokens need none of them.",
  attributes: {
    ...Object.fromEntries(
      Object.entries(DESCRIPTIONS).map(([name, description]) => [
        name,
        argument(isCommand(name) ? ["list", "string"] : "string", description, {
          optional: true,
          ...(isSecretArgument(name) && { sensitive: true }),
        }),
      ]),
    ),
    package_version: argument(
      "string",
      "Version of the constructs that synthesized this block; they set it. A provider of another version refuses the block. " +
        "By default versions are not compared.",
    ),
    declared_by: argument(
      "string",
      "Path of the construct that declared this block; it sets this. Errors then have its name and those of its properties. By " +
        "default they have the names of this block's arguments.",
    ),
  },
};

/** An argument that is no part of a way of signing in. */
type OtherArgument = keyof typeof CHECKS;

/** A `provider "iam"` block. */
export interface ProviderBlock extends Readonly<Record<OtherArgument, Argument<string>>> {
  /** What it gives for credentials. Secrets are wrapped: a session can be logged. */
  readonly source: Source;
  /** The names of the arguments that Terraform does not know yet. */
  readonly unknown: readonly string[];
  readonly declared_by: string | undefined;
}

/** Reads a provider block. */
export function toProviderBlock(config: CtyObject): ProviderBlock {
  const others = Object.keys(CHECKS).map((name) => [name, textArgument(config, name)] as const);
  return {
    ...(Object.fromEntries(others) as Record<OtherArgument, Argument<string>>),
    source: sourceIn(config),
    unknown: Object.keys(DESCRIPTIONS).filter((name) => argumentOf(config, name) === UNKNOWN),
    declared_by: constructPath(config),
  };
}

function argumentOf(config: CtyObject, name: string): Argument<string | readonly unknown[]> {
  return isCommand(name) ? listArgument(config, name) : textArgument(config, name);
}

function isCommand(name: string): boolean {
  return placeOf(name) === "command";
}

function sourceIn(config: CtyObject): Source {
  const own = { kind: "arguments", title: BLOCK } as const;
  return {
    ...own,
    source: "block",
    given: givenBy((name) => {
      const value = argumentOf(config, name);
      if (value === null) return undefined;
      return isKnown(value) ? givenValue(originOf(own, name), name, value) : null;
    }),
    // Of an unknown one, only the presence counts.
    files: filesBy(own, (name) => {
      const path = textArgument(config, name);
      return path === null ? undefined : isKnown(path) ? path : "";
    }),
  };
}

function givenValue(
  origin: Text,
  name: string,
  value: string | readonly unknown[],
): Given["value"] {
  // Its form is checked with the other values.
  if (typeof value !== "string") return { kind: "command", command: value as Command, origin };
  const kind = placeOf(name);
  switch (kind) {
    case "value":
    case "env":
    case "file":
      return placedSecret(kind, value, origin);
    case "audience":
      return { kind, audience: value, origin };
    default:
      return value;
  }
}

/** The mistakes of a provider block. Reads nothing, and skips unknown values. */
export function mistakesInBlock(block: ProviderBlock): readonly Mistake[] {
  const given = block.source.given.map(({ name }) => setting(name));
  const isMixed = isKnown(block.cloud) && given.length > 0;
  return [
    ...mistakesIn(block.source),
    ...Object.entries(CHECKS).flatMap(([name, check]) => {
      const text = block[name as OtherArgument];
      return isKnown(text) ? mistakeOf(name, () => check(text, name)) : [];
    }),
    ...(isMixed ? [{ name: "cloud", error: cloudAndParts(setting("cloud"), given) }] : []),
  ];
}

/**
 * The diagnostics of a provider block: all mistakes at once, each on its argument.
 *
 * @param version the package's; undefined to skip the comparison with the block's
 */
export function validateProviderBlock(config: CtyObject, version?: string): readonly Diagnostic[] {
  return checkOfBlock(() => {
    const block = toProviderBlock(config);
    const mistakes = mistakesInBlock(block).map(({ name, error }) =>
      toDiagnostic(inWordsOfBlock(block, error), pathTo(name, config[name])),
    );
    return [...mistakes, ...otherVersion(config, version)];
  })(config);
}

/** An error in the words of the program that declared the block. */
export function inWordsOfBlock<E>(
  { declared_by, source }: ProviderBlock,
  error: E,
): E | IamTokensError {
  return inConstructWords(error, declared_by, wayOf(source));
}

/**
 * Terraform starts the version that a stack requires, but does not ask a running provider for its
 * version.
 */
function otherVersion(config: CtyObject, version: string | undefined): readonly Diagnostic[] {
  const wanted = knownText(config, "package_version");
  if (version === undefined || wanted === undefined || wanted === version) return [];
  const error = new IamTokensError(
    "ERR_VERSION_MISMATCH",
    `The stack was synthesized by version ${quote(wanted)} of the constructs, but the running provider is version ${version}.`,
  );
  return [toDiagnostic(error, ["package_version"])];
}

/** The path of a construct; anything else is no path, and is not repeated in messages. */
function constructPath(config: CtyObject): string | undefined {
  const path = knownText(config, "declared_by");
  return path !== undefined && isConstructPath(path) ? path : undefined;
}
