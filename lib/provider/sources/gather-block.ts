import { IamTokensError, Secret } from "../../tokens";
import {
  isSecretArgument,
  type Part,
  SECRET_ARGUMENTS,
  type SecretArgument,
  type SecretKind,
  WAYS,
} from "../../tokens/ways";
import { isKnown } from "../configuration/argument";
import type { PartArgument, ProviderArgument } from "../configuration/construct-words";
import { list } from "../configuration/wording";
import { type TlsFiles, tlsFilesBy } from "../credentials/credential-description";
import type { Gathered, Given } from "../credentials/gathered";
import { BLOCK_GIVES, type ProviderBlock, partArguments } from "../credentials/provider-block";
import { attachedNote, type ProcessContext, variablesGiving } from "../process/process-context";
import { parseCommand, type SecretReference } from "../secrets/secret-reference";

/** A path in a token's block cannot point into the provider block. */
const inBlock = (argument: ProviderArgument): string => `${argument} of the provider block`;

/** The parts in a provider block without mistakes. The environment is only named in errors. */
export function gatherBlock(block: ProviderBlock, processContext: ProcessContext): Gathered {
  return {
    source: "block",
    ways: WAYS,
    gives: BLOCK_GIVES,
    given: (part) => givenBy(part, block),
    incomplete: (lacking, given) => incomplete(lacking, given, processContext),
  };
}

/** The files for TLS in a block; they do not make it the source of the credentials. */
export function tlsFilesOf(block: ProviderBlock): TlsFiles {
  return tlsFilesBy(["ca_file", "cert_file", "key_file"], (name) => {
    const path = block[name];
    return isKnown(path) ? { path, origin: inBlock(name) } : undefined;
  });
}

function givenBy(part: Part, block: ProviderBlock): Given | undefined {
  const [name] = partArguments(part, block);
  if (name === undefined) return undefined;
  const { argument } = part;
  if (isSecretArgument(argument)) return { name, value: secretOf(argument, block) };
  const text = block[argument];
  return isKnown(text) ? { name, value: text } : undefined;
}

function secretOf(argument: SecretArgument, block: ProviderBlock): SecretReference {
  const names: Partial<Record<SecretKind, PartArgument>> = SECRET_ARGUMENTS[argument];
  for (const [kind, name] of Object.entries(names)) {
    const given = block[name];
    if (!isKnown(given)) continue;
    const origin = inBlock(name);
    if (given instanceof Secret) return { kind: "value", value: given, origin };
    if (typeof given !== "string")
      return { kind: "command", command: parseCommand(origin, given), origin };
    if (kind === "env") return { kind, name: given, origin };
    if (kind === "file") return { kind, path: given, origin };
    return { kind: "audience", audience: given, origin };
  }
  throw new TypeError(`no argument gives ${argument}`);
}

function incomplete(
  lacking: readonly Part[],
  given: readonly string[],
  processContext: ProcessContext,
): IamTokensError {
  const elsewhere = lacking.filter((part) => variablesGiving(part, processContext).length > 0);
  const nowhere = lacking.filter((part) => !elsewhere.includes(part));
  const gives = `${BLOCK_GIVES} ${list(given)}`;
  if (elsewhere.length === 0)
    return new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      `${gives} and must therefore give all credentials; ${list(nowhere.map(wordsOf))} ${lacking.length > 1 ? "are" : "is"} missing.`,
      { remedy: `Give ${list(nowhere.map(wordsOf))} in the provider block.` },
    );
  const variables = elsewhere.flatMap((part) => variablesGiving(part, processContext));
  const write = lacking.map((part) =>
    isSecretArgument(part.argument) && elsewhere.includes(part)
      ? `${SECRET_ARGUMENTS[part.argument].env} = "${part.variables[0]}"`
      : wordsOf(part),
  );
  const rest =
    nowhere.length > 0
      ? ` ${list(nowhere.map(wordsOf))} ${nowhere.length > 1 ? "are" : "is"} missing in both.`
      : "";
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${gives}, but ${list(elsewhere.map(wordsOf))} would come from the environment (${list(variables)}): two sources.${rest}${attachedNote(processContext)}`,
    {
      remedy: `Add ${list(write)} to the provider block, or remove ${list(given)} from it and let the environment give everything.`,
    },
  );
}

/** The arguments of a part, in a sentence. */
function wordsOf({ name, argument }: Part): string {
  if (!isSecretArgument(argument)) return argument;
  const names: readonly PartArgument[] = Object.values(SECRET_ARGUMENTS[argument]);
  return `the ${name} (${list(names, "or")})`;
}
