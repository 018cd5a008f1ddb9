import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../plugin/provider";
import {
  assertName,
  IamTokensError,
  parseAuthUrl,
  parseBaseUrl,
  parseRetryFor,
  Secret,
} from "../../tokens";
import { type Argument, isKnown, knownText, pathTo, textArgument } from "../configuration/argument";
import { argument } from "../configuration/attribute";
import { inConstructWords, type ProviderArgument } from "../configuration/construct-words";
import { toDiagnostic } from "../configuration/diagnostics";
import { are, list, named } from "../configuration/wording";
import { CONSTRUCT_PATH } from "../names";
import { assertFilePath, assertVariableName } from "../secrets/secret-reference";
import { secretOfText } from "../secrets/secret-text";
import { argumentsGiving, certificateAlone, PIECES } from "./credential-description";

type Check = (text: string, name: string) => unknown;

const aName: Check = (text, name) => assertName(name, text);
const filePath: Check = (path, name) => assertFilePath(name, path);

/** Arguments of the user, all strings: the check of a known one, and its description. */
const ARGUMENTS = {
  auth_url: [
    (text, name) => named(name, () => parseAuthUrl(text)),
    "Address of the identity service. One that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets " +
      "/identity/v3. https only, except on loopback.",
  ],
  account_id: [
    (text, name) => assertName(name, text, "ERR_ACCOUNT_INVALID"),
    "Account number, as a string.",
  ],
  user_name: [aName, "Name of the service user."],
  password: [
    (text, name) => secretOfText(name, text),
    "Password of the service user. Prefer password_env or password_file.",
  ],
  password_env: [
    (text, name) => assertVariableName(name, text),
    "Name of the environment variable that holds the password of the service user.",
  ],
  password_file: [
    filePath,
    "File that holds the password of the service user; one newline at its end is cut. Relative to Terraform's working folder.",
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
    (text, name) => named(name, () => parseBaseUrl(text)),
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
    (text, name) => parseRetryFor(text, name),
    'How long all tries of a request may take: "0s" (one try) to "5m". By default 30 s, of which a connection that is refused or ' +
      "reset is tried again for 15 s.",
  ],
} satisfies Record<ProviderArgument, readonly [check: Check, description: string]>;

const NAMES = Object.keys(ARGUMENTS) as readonly ProviderArgument[];

/** `provider "iam"`. Without any arguments, only opening a token is an error. */
export const PROVIDER_BLOCK: BlockSchema = {
  description:
    "The identity service, and the service user who receives the IAM tokens. Address, account, user and password all come from one " +
    "source: this block, the entry of clouds.yaml that it names, or the environment (OS_CLOUD, or OS_AUTH_URL, OS_USER_DOMAIN_NAME, " +
    "OS_USERNAME and OS_PASSWORD). Static tokens need none of them.",
  attributes: {
    ...Object.fromEntries(
      NAMES.map((name) => {
        const [check, description] = ARGUMENTS[name];
        const more = name === "password" ? { sensitive: true } : {};
        return [name, argument("string", description, { ...more, isPath: check === filePath })];
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

/** The arguments of a `provider "iam"` block, by their names in Terraform. */
export interface ProviderBlock
  extends Readonly<Record<Exclude<ProviderArgument, "password">, Argument<string>>> {
  readonly password: Argument<Secret>;
  readonly declared_by: string | undefined;
}

/** Reads a provider block. The password is wrapped immediately: a session can be logged. */
export function toProviderBlock(config: CtyObject): ProviderBlock {
  const texts = Object.fromEntries(NAMES.map((name) => [name, textArgument(config, name)]));
  const { password, ...others } = texts as Record<ProviderArgument, Argument<string>>;
  return {
    ...others,
    password: typeof password === "string" ? Secret.of(password) : password,
    declared_by: constructPath(config),
  };
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
  const block = toProviderBlock(config);
  const mistakes = mistakesIn(block).map(({ argument: name, error }) =>
    toDiagnostic(inConstructWords(error, block.declared_by), pathTo(name, config[name])),
  );
  return [...mistakes, ...otherVersion(config, version)];
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
    ...onePassword(block),
    ...cloudAlone(block),
    ...certificateWithKey(block),
  ];
}

function wrongArgument(
  name: ProviderArgument,
  value: Argument<string | Secret>,
): readonly Mistake[] {
  if (!isKnown(value)) return [];
  try {
    const [check] = ARGUMENTS[name];
    check(typeof value === "string" ? value : value.reveal(), name);
    return [];
  } catch (error) {
    return [{ argument: name, error }];
  }
}

function onePassword(block: ProviderBlock): readonly Mistake[] {
  const ways = ["password", "password_env", "password_file"] as const;
  const given = ways.filter((name) => isKnown(block[name]));
  const last = given.at(-1);
  if (given.length < 2 || last === undefined) return [];
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The password is given ${given.length} times: ${list(given)}.`,
    {
      allowed: "one of password, password_env and password_file",
      remedy: "Keep one of them.",
    },
  );
  return [{ argument: last, error }];
}

/** Either arguments provide all four parts, or the cloud does. */
function cloudAlone(block: ProviderBlock): readonly Mistake[] {
  const given = PIECES.flatMap((piece) => argumentsGiving(piece, block));
  if (!isKnown(block.cloud) || given.length === 0) return [];
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `cloud names an entry of clouds.yaml, but ${are(given)} given: two sources.`,
    {
      remedy: `Remove ${list(given)}, or remove cloud and give address, account, user and password here.`,
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
  return path !== undefined && CONSTRUCT_PATH.test(path) ? path : undefined;
}

function versionText(version: string): string {
  return /^[\w.+-]{1,40}$/.test(version) ? version : "(not a version)";
}
