import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { AttributePath, AttributeSchema, Diagnostic } from "../../plugin/provider";
import { IamTokensError, Secret } from "../../tokens";
import { knownText, pathTo } from "../configuration/argument";
import { argument } from "../configuration/attribute";
import { checkText, toDiagnostic } from "../configuration/diagnostics";
import { list } from "../configuration/wording";
import { assertNoPassword } from "../credentials/password-places";
import type { Surroundings } from "../process/surroundings";
import { readSecret } from "../secrets/read-secret";
import {
  assertFilePath,
  assertVariableName,
  type SecretReference,
} from "../secrets/secret-reference";
import { assertHeaderSafe, secretOfText } from "../secrets/secret-text";
import { ownBaseUrl, validateBaseUrl, validateDestinations } from "./destinations";
import { withStaticToken } from "./token-attributes";

/** What every object of a static token takes: exactly one of env, file and value. */
export const STATIC_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  env: argument("string", "Name of the environment variable that holds the token."),
  file: argument(
    "string",
    "File that holds the token; one newline at its end is cut. Relative to Terraform's working folder.",
  ),
  value: argument("string", "The token itself, from another object's value; never a literal.", {
    sensitive: true,
  }),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for: each must fall under base_url, else the token is not handed out. Without a base_url they are " +
      "checked to be addresses.",
  ),
  base_url: argument(
    "string",
    "Base address of the product APIs: all destinations must fall under it. By default any address may.",
  ),
};

const SOURCES = ["env", "file", "value"] as const;

/** The mistakes in the arguments of a static token. Passes over what is unknown. */
export function validateStaticToken(config: CtyObject): readonly Diagnostic[] {
  return [
    ...exactlyOneSource(config),
    ...checkText(config, "env", (name) => assertVariableName("env", name)),
    ...checkText(config, "file", (path) => assertFilePath("file", path)),
    ...checkText(config, "value", assertValue),
    ...validateBaseUrl(config),
    ...validateDestinations(config, ownBaseUrl(config)),
  ];
}

/** The block of a token, looked up, with its attributes. Makes no request, needs no credentials. */
export async function lookUp(
  config: CtyObject,
  surroundings: Surroundings,
): Promise<{ readonly result?: CtyObject; readonly diagnostics?: readonly Diagnostic[] }> {
  const mistakes = validateStaticToken(config);
  if (mistakes.length > 0) return { diagnostics: mistakes };
  const reference = toSecretReference(config);
  try {
    assertNoPassword(reference, surroundings);
    const token = await readSecret(reference, surroundings);
    assertHeaderSafe(placeOf(reference), token);
    return { result: withStaticToken(config, token) };
  } catch (error) {
    return { diagnostics: [toDiagnostic(error, pathTo(reference.kind, config[reference.kind]))] };
  }
}

/** Where the token of a block without mistakes is. */
function toSecretReference(config: CtyObject): SecretReference {
  const [env, file, value] = SOURCES.map((name) => knownText(config, name));
  if (env !== undefined) return { kind: "env", name: env, origin: "env" };
  if (file !== undefined) return { kind: "file", path: file, origin: "file" };
  if (value !== undefined) return { kind: "value", value: Secret.of(value), origin: "value" };
  throw new IamTokensError("ERR_STATIC_SOURCE_INVALID", "None of env, file and value is known.");
}

function placeOf(reference: SecretReference): string {
  if (reference.kind === "env") return `The environment variable ${reference.name}`;
  return reference.kind === "file"
    ? `The file ${JSON.stringify(reference.path)}`
    : reference.origin;
}

function exactlyOneSource(config: CtyObject): readonly Diagnostic[] {
  const invalid = (problem: string, path?: AttributePath): readonly Diagnostic[] => [
    toDiagnostic(new IamTokensError("ERR_STATIC_SOURCE_INVALID", problem), path),
  ];
  const known = SOURCES.filter((name) => knownText(config, name) !== undefined);
  const paths = known.map((name) => pathTo(name, config[name]));
  if (known.length > 1)
    return invalid(`${list(known)} are given.`, paths.findLast((each) => each.length > 0) ?? []);
  // What is unknown now may turn out to be the one source, or null.
  const open = SOURCES.some((name) => config[name] === UNKNOWN);
  return known.length === 1 || open ? [] : invalid("None of env, file and value is given.");
}

function assertValue(value: string): void {
  secretOfText("value", value);
  assertHeaderSafe("value", Secret.of(value));
}
