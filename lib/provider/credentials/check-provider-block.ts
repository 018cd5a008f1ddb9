import type { CtyObject } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { assertName, IamTokensError, parseAuthUrl, parseBaseUrl } from "../../tokens";
import { isKnown } from "../argument";
import { pathTo } from "../argument-path";
import { toDiagnostic } from "../diagnostics";
import { assertFilePath, assertVariableName } from "../secrets/secret-reference";
import { secretOfText } from "../secrets/secret-text";
import { list, named } from "../wording";
import { argumentsGiving, PIECES } from "./pieces";
import { type ProviderArgument, type ProviderBlock, toProviderBlock } from "./provider-block";

/** A mistake in a provider block, and the argument that it is in. */
interface Mistake {
  readonly argument: ProviderArgument;
  readonly error: unknown;
}

/**
 * The diagnostics of a provider block: all mistakes at once, each on its argument. Reads nothing;
 * passes over what is unknown.
 */
export function validateProviderBlock(config: CtyObject): readonly Diagnostic[] {
  return mistakesIn(toProviderBlock(config)).map(({ argument, error }) =>
    toDiagnostic(error, pathTo(argument, config[argument])),
  );
}

/**
 * Throws the first mistake of a provider block, for where the block's paths mean nothing: when a
 * token is opened.
 */
export function assertProviderBlock(block: ProviderBlock): void {
  if (sound.has(block)) return;
  for (const { error } of mistakesIn(block)) throw error;
  sound.add(block);
}

/** Each token asks for the block of its session anew. */
const sound = new WeakSet<ProviderBlock>();

function mistakesIn(block: ProviderBlock): readonly Mistake[] {
  return [
    ...checked(block, "auth_url", (text) => named("auth_url", () => parseAuthUrl(text))),
    ...checked(block, "account_id", (text) =>
      assertName("account_id", text, "ERR_ACCOUNT_INVALID"),
    ),
    ...checked(block, "user_name", (text) => assertName("user_name", text)),
    ...checked(block, "password", (password) => secretOfText("password", password.reveal())),
    ...checked(block, "base_url", (text) => named("base_url", () => parseBaseUrl(text))),
    ...checked(block, "password_env", (name) => assertVariableName("password_env", name)),
    ...checked(block, "password_file", (path) => assertFilePath("password_file", path)),
    ...checked(block, "cloud", (name) => assertName("cloud", name)),
    ...checked(block, "clouds_folder", (path) => assertFilePath("clouds_folder", path)),
    ...checked(block, "ca_file", (path) => assertFilePath("ca_file", path)),
    ...checked(block, "cert_file", (path) => assertFilePath("cert_file", path)),
    ...checked(block, "key_file", (path) => assertFilePath("key_file", path)),
    ...onePassword(block),
    ...cloudAlone(block),
    ...certificateWithKey(block),
  ];
}

function checked<Name extends ProviderArgument>(
  block: ProviderBlock,
  argument: Name,
  check: (value: Exclude<ProviderBlock[Name], symbol | null>) => unknown,
): readonly Mistake[] {
  const value = block[argument];
  if (!isKnown(value)) return [];
  try {
    check(value as Exclude<ProviderBlock[Name], symbol | null>);
    return [];
  } catch (error) {
    return [{ argument, error }];
  }
}

function onePassword(block: ProviderBlock): readonly Mistake[] {
  const given = (["password", "password_env", "password_file"] as const).filter((argument) =>
    isKnown(block[argument]),
  );
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

/** Either all four pieces are arguments, or the cloud gives them. */
function cloudAlone(block: ProviderBlock): readonly Mistake[] {
  const given = PIECES.flatMap((piece) => argumentsGiving(piece, block));
  if (!isKnown(block.cloud) || given.length === 0) return [];
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `cloud names an entry of clouds.yaml, and ${list(given)} ${given.length > 1 ? "are" : "is"} given too: two sources.`,
    {
      remedy: `Take ${list(given)} out, or take cloud out and give address, account, user and password here.`,
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
    .map(([here, other]) => ({
      argument: here,
      error: new IamTokensError("ERR_CERTIFICATE_INVALID", `${here} is given without ${other}.`),
    }));
}
