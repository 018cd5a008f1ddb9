import type { CtyObject, CtyType } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../plugin/provider";
import {
  assertName,
  assertSegment,
  IamTokensError,
  parseAuthUrl,
  parseBaseUrl,
  parseRetryFor,
  Secret,
} from "../../tokens";
import {
  argumentsOf,
  isSecretArgument,
  isShared,
  PARTS,
  type Part,
  SECRET_ARGUMENTS,
  type SecretArgument,
  WAYS,
} from "../../tokens/ways";
import {
  type Argument,
  isKnown,
  knownText,
  listArgument,
  pathTo,
  textArgument,
} from "../configuration/argument";
import { argument } from "../configuration/attribute";
import {
  inConstructWords,
  type PartArgument,
  type ProviderArgument,
} from "../configuration/construct-words";
import { checkOfBlock, toDiagnostic } from "../configuration/diagnostics";
import { are, list, named } from "../configuration/wording";
import { isConstructPath } from "../names";
import { assertFilePath, assertVariableName, parseCommand } from "../secrets/secret-reference";
import { secretOfText } from "../secrets/secret-text";
import { certificateAlone } from "./credential-description";
import { mixedError, wayOf } from "./describe-parts";

type Check = (value: string | readonly unknown[], name: string) => unknown;

const textCheck =
  (check: (text: string, name: string) => unknown): Check =>
  (value, name) =>
    typeof value === "string" && check(value, name);

const aName = textCheck((text, name) => assertName(name, text));
const aSegment = textCheck((text, name) => assertSegment(name, text));
const filePath = textCheck((path, name) => assertFilePath(name, path));
const variableName = textCheck((text, name) => assertVariableName(name, text));
const secretText = textCheck((text, name) => secretOfText(name, text));
const command: Check = (value, name) => typeof value !== "string" && parseCommand(name, value);

type Described = readonly [check: Check, description: string];

/** The arguments of a secret, by its kind of place. */
function secretArguments<Name extends SecretArgument>(
  name: Name,
  what: string,
): Record<(typeof SECRET_ARGUMENTS)[Name]["value" | "env" | "file" | "command"], Described> {
  const { value, env, file, command: commandName } = SECRET_ARGUMENTS[name];
  return Object.fromEntries([
    [value, [secretText, `${what}. Prefer ${env}, ${file} or ${commandName}.`]],
    [env, [variableName, `Name of the environment variable that holds it: ${what}.`]],
    [
      file,
      [
        filePath,
        `File that holds it: ${what}; one newline at its end is cut. Relative to Terraform's working folder.`,
      ],
    ],
    [
      commandName,
      [
        command,
        `Program that prints it, with its arguments, without a shell: ${what}. It has Terraform's environment, 30 s, and no input; ` +
          "one newline at the end of its output is cut.",
      ],
    ],
  ]) as unknown as ReturnType<typeof secretArguments<Name>>;
}

/** Arguments of the user: the check of a known one, and its description. */
const ARGUMENTS: Record<ProviderArgument, Described> = {
  auth_url: [
    textCheck((text, name) => named(name, () => parseAuthUrl(text))),
    "Address of the identity service. One that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets " +
      "/identity/v3. https only, except on loopback.",
  ],
  account_id: [
    textCheck((text, name) => assertName(name, text, "ERR_ACCOUNT_INVALID")),
    "Account number, as a string. With application_credential_id it may be left out.",
  ],
  user_name: [aName, "Name of the service user."],
  ...secretArguments("password", "Password of the service user"),
  application_credential_id: [aName, "Id of an application credential, in place of user_name."],
  application_credential_name: [
    aName,
    "Name of an application credential; with the user_name and the account_id of its user.",
  ],
  ...secretArguments("application_credential_secret", "Secret of the application credential"),
  identity_provider: [
    aSegment,
    "Id of the identity provider at the identity service that accepts the identity token.",
  ],
  protocol: [aSegment, 'Id of the identity provider\'s protocol: "openid", for example.'],
  ...secretArguments("oidc_token", "Identity token (a JWT) of this job"),
  oidc_audience: [
    aName,
    "Audience of an identity token that GitHub Actions is asked for, at each sign-in.",
  ],
  cloud: [
    aName,
    "Entry of clouds.yaml that gives the credentials, overridden by secure.yaml; the provider searches the files in openstacksdk's order.",
  ],
  clouds_folder: [
    filePath,
    "First folder in which the provider looks for clouds.yaml and secure.yaml. Relative paths in them, in OS_CLIENT_CONFIG_FILE, " +
      "OS_CLIENT_SECURE_FILE and OS_CACERT start from it. By default Terraform's working folder.",
  ],
  base_url: [
    textCheck((text, name) => named(name, () => parseBaseUrl(text))),
    "Base address of the product APIs: all destinations of this block's IAM tokens must be below it, in scheme, host, port and " +
      "path. By default any address is allowed.",
  ],
  ca_file: [
    filePath,
    "PEM file of the certificate authorities that may issue the identity service's certificate, instead of the public ones. By " +
      "default OS_CACERT, when the environment gives the credentials.",
  ],
  cert_file: [filePath, "PEM file of the client certificate; with key_file."],
  key_file: [filePath, "PEM file of the client certificate's key, not encrypted; with cert_file."],
  retry_for: [
    textCheck((text, name) => parseRetryFor(text, name)),
    'How long all tries of a request may take: "0s" (one try) to "5m". By default 20 s.',
  ],
};

const NAMES = Object.keys(ARGUMENTS) as readonly ProviderArgument[];

/** `provider "iam"`. Without any arguments, only opening a token is an error. */
export const PROVIDER_BLOCK: BlockSchema = {
  description:
    "The identity service, and how to sign in for IAM tokens: with a service user's password, an application credential or an " +
    "identity token. All parts come from one source: this block, the entry of clouds.yaml that it names, or the environment " +
    "(OS_CLOUD, or OS_AUTH_URL and the others). Static tokens need none of them.",
  attributes: {
    ...Object.fromEntries(
      NAMES.map((name) => {
        const [check, description] = ARGUMENTS[name];
        const more = isSecretArgument(name) ? { sensitive: true } : {};
        const type: CtyType = check === command ? ["list", "string"] : "string";
        return [name, argument(type, description, more)];
      }),
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

type CommandArgument = (typeof SECRET_ARGUMENTS)[SecretArgument]["command"];

/** The arguments of a `provider "iam"` block, by their names in Terraform. */
export interface ProviderBlock
  extends Readonly<
      Record<Exclude<ProviderArgument, SecretArgument | CommandArgument>, Argument<string>>
    >,
    Readonly<Record<SecretArgument, Argument<Secret>>>,
    Readonly<Record<CommandArgument, Argument<readonly unknown[]>>> {
  readonly declared_by: string | undefined;
}

/** Reads a provider block. A secret is wrapped immediately: a session can be logged. */
export function toProviderBlock(config: CtyObject): ProviderBlock {
  const values = NAMES.map((name) => {
    if (ARGUMENTS[name][0] === command) return [name, listArgument(config, name)] as const;
    const text = textArgument(config, name);
    return [name, isSecretArgument(name) && isKnown(text) ? Secret.of(text) : text] as const;
  });
  // A record of all names.
  const block = Object.fromEntries(values) as Omit<ProviderBlock, "declared_by">;
  return { ...block, declared_by: constructPath(config) };
}

/** The names of the arguments that Terraform does not know yet. */
export function unknownArguments(block: ProviderBlock): readonly string[] {
  return Object.entries(block)
    .filter(([, value]) => value === UNKNOWN)
    .map(([name]) => name);
}

/**
 * The diagnostics of a provider block: all mistakes at once, each on its argument. Reads nothing,
 * and skips unknown values.
 *
 * @param version the package's; undefined to skip the comparison with the block's
 */
export function validateProviderBlock(config: CtyObject, version?: string): readonly Diagnostic[] {
  return checkOfBlock(() => {
    const block = toProviderBlock(config);
    const mistakes = mistakesIn(block).map(({ argument: name, error }) =>
      toDiagnostic(inConstructWords(error, block.declared_by), pathTo(name, config[name])),
    );
    return [...mistakes, ...otherVersion(config, version)];
  })(config);
}

/**
 * Throws a block's first mistake, for the opening of a token, where the block's paths mean nothing.
 */
export function assertProviderBlock(block: ProviderBlock): void {
  if (sound.has(block)) return;
  for (const { error } of mistakesIn(block)) throw error;
  sound.add(block);
}

/** Blocks without mistakes: each token passes its session's block again. */
const sound = new WeakSet<ProviderBlock>();

/** A mistake in a provider block, with its argument. */
interface Mistake {
  readonly argument: ProviderArgument;
  readonly error: unknown;
}

function mistakesIn(block: ProviderBlock): readonly Mistake[] {
  return [
    ...NAMES.flatMap((name) => wrongArgument(name, block[name])),
    ...SECRETS.flatMap((name) => givenTwice(name, block)),
    ...twoWays(block),
    ...cloudAlone(block),
    ...certificateWithKey(block),
  ];
}

function wrongArgument(
  name: ProviderArgument,
  value: ProviderBlock[ProviderArgument],
): readonly Mistake[] {
  if (!isKnown(value)) return [];
  try {
    const [check] = ARGUMENTS[name];
    check(value instanceof Secret ? value.reveal() : value, name);
    return [];
  } catch (error) {
    return [{ argument: name, error }];
  }
}

const SECRETS = Object.keys(SECRET_ARGUMENTS) as readonly SecretArgument[];

function givenTwice(name: SecretArgument, block: ProviderBlock): readonly Mistake[] {
  const places: readonly PartArgument[] = Object.values(SECRET_ARGUMENTS[name]);
  const given = places.filter((each) => isKnown(block[each]));
  const last = given.at(-1);
  if (given.length < 2 || last === undefined) return [];
  const part = PARTS.find(({ argument: each }) => each === name);
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The ${part?.name} is given ${given.length} times: ${list(given)}.`,
    { allowed: `one of ${list(places)}`, remedy: "Keep one of them." },
  );
  return [{ argument: last, error }];
}

/** The arguments that are parts of ways, which are given; one that is not known yet counts. */
export function partArguments(part: Part, block: ProviderBlock): readonly PartArgument[] {
  return (argumentsOf(part) as readonly PartArgument[]).filter((name) => block[name] !== null);
}

/** A half of a way is no mistake yet: the environment may have the other one. */
function twoWays(block: ProviderBlock): readonly Mistake[] {
  const known = (part: Part) => partArguments(part, block).filter((name) => isKnown(block[name]));
  const { way, outside } = wayOf(WAYS, (part) => known(part).length > 0);
  const names = (parts: readonly Part[]) => parts.flatMap(known);
  const wrong = names(outside);
  const last = wrong.at(-1);
  if (last === undefined) return [];
  const inside = names(way.parts.filter((part) => !isShared(part)));
  return [{ argument: last, error: mixedError(BLOCK_GIVES, inside, wrong, way) }];
}

/** The beginning of sentences about a block's arguments. */
export const BLOCK_GIVES = "The provider block gives";

/** Either arguments give all parts, or the cloud does. */
function cloudAlone(block: ProviderBlock): readonly Mistake[] {
  const given = PARTS.flatMap((part) => partArguments(part, block));
  if (!isKnown(block.cloud) || given.length === 0) return [];
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `cloud names an entry of clouds.yaml, but ${are(given)} given: two sources.`,
    {
      remedy: `Remove ${list(given)}, or remove cloud and give all parts of one way of signing in here.`,
    },
  );
  return [{ argument: "cloud", error }];
}

function certificateWithKey(block: ProviderBlock): readonly Mistake[] {
  const halves = [
    ["cert_file", "key_file"],
    ["key_file", "cert_file"],
  ] as const;
  return halves
    .filter(([here, other]) => isKnown(block[here]) && block[other] === null)
    .map(([here, other]) => ({ argument: here, error: certificateAlone(here, other) }));
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
    `The stack was synthesized by version ${versionText(wanted)} of the constructs, but the running provider is version ${version}.`,
  );
  return [toDiagnostic(error, ["package_version"])];
}

/** The path of a construct; anything else is no path, and is not repeated in messages. */
function constructPath(config: CtyObject): string | undefined {
  const path = knownText(config, "declared_by");
  return path !== undefined && isConstructPath(path) ? path : undefined;
}

function versionText(version: string): string {
  return /^[\w.+-]{1,40}$/.test(version) ? version : "(not a version)";
}
