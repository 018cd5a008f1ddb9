import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type {
  AttributeSchema,
  BlockSchema,
  DataSource,
  Diagnostic,
  EphemeralResource,
} from "../../plugin/provider";
import {
  IamTokensError,
  ofProcess,
  quote,
  type Secret,
  setting,
  type Text,
  words,
} from "../../tokens";
import { argument, isKnown, knownText, listArgument } from "../configuration/argument";
import { assertValue } from "../configuration/argument-checks";
import { NOWHERE, pathTo } from "../configuration/argument-path";
import { check, checkOfBlock } from "../configuration/block-checks";
import { inRun, toDiagnostic, warning } from "../configuration/diagnostics";
import { assertAllowed, hasList } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";
import { assertHeaderSafe, readSecret } from "../secrets/read-secret";
import { allowedCommand, secretOfCommand } from "../secrets/run-command";
import {
  type CommandReference,
  givenBy,
  type PlacedSecret,
  placedSecret,
  type Reading,
} from "../secrets/secret-reference";
import { list } from "../wording";
import { validateBaseUrl, validateDestinations } from "./destinations";
import { STATIC_TOKEN_ATTRIBUTES, withStaticToken } from "./token-attributes";
import type { IamSession } from "./token-requests";

/** Arguments of every static token object: exactly one of env, file, command and value. */
export const STATIC_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  env: argument("string", "Name of the environment variable that holds the token."),
  file: argument(
    "string",
    "File that holds the token; one newline at its end is cut. Relative to Terraform's working folder.",
  ),
  command: argument(
    ["list", "string"],
    "A program that prints the token, and its arguments. It runs at each plan and apply, with Terraform's environment, without a shell " +
      "and without input, for at most 30 s and 64 KiB; one newline at the end is cut.",
  ),
  value: argument("string", "The token itself, from another object's value; never a literal.", {
    optional: true,
    sensitive: true,
  }),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for. Each must be below base_url, else the block fails. Without a base_url " +
      "only their form is checked. By default none are given.",
  ),
  base_url: argument(
    "string",
    "Base address of the product APIs: all destinations must be below it. By default any address is allowed.",
  ),
};

const PLACES = ["env", "file", "command", "value"] as const;
const placesIn = (config: CtyObject): readonly StaticPlace[] =>
  PLACES.flatMap((name): readonly StaticPlace[] => {
    if (name === "command") {
      const command = listArgument(config, name);
      return isKnown(command) ? [{ kind: name, place: command, origin: name }] : [];
    }
    const text = knownText(config, name);
    return text === undefined ? [] : [placedSecret(name, text, name)];
  });

type StaticPlace = PlacedSecret | CommandReference;

/** The mistakes in the arguments of a static token. Skips unknown values. */
export const validateStaticToken = checkOfBlock((config) => [
  ...exactlyOnePlace(config),
  ...placesIn(config).flatMap((reference) => {
    const { kind } = reference;
    return check(pathTo(kind, config[kind]), () => {
      assertValue(kind, setting(kind), givenBy(reference));
      if (kind === "value") assertHeaderSafe(kind, reference.place);
    });
  }),
  ...validateBaseUrl(config),
  ...validateDestinations(config),
]);

/**
 * Reads a token, and returns its block with all attributes. Makes no request, needs no credentials.
 */
async function lookUp(
  config: CtyObject,
  processContext: ProcessContext,
  reading: Reading,
): Promise<{ readonly result?: CtyObject; readonly diagnostics: readonly Diagnostic[] }> {
  const mistakes = validateStaticToken(config);
  const [reference] = placesIn(config);
  // Nothing is unknown here any more.
  if (mistakes.length > 0 || reference === undefined) return { diagnostics: mistakes };
  try {
    const token = await tokenOf(reference, processContext, reading);
    assertHeaderSafe(placeOf(reference), token);
    return { result: withStaticToken(config, token), diagnostics: [] };
  } catch (error) {
    // The line of the argument may have the secret in place of its place.
    return { diagnostics: [toDiagnostic(inRun(error, processContext.attached), NOWHERE)] };
  }
}

function tokenOf(
  reference: StaticPlace,
  processContext: ProcessContext,
  reading: Reading,
): Promise<Secret> {
  if (reference.kind === "command") {
    if (hasList("place", processContext) && !hasList("program", processContext))
      throw new IamTokensError(
        "ERR_STATIC_SOURCE_NOT_ALLOWED",
        words`A command may not be used: ${ofProcess("IAM_TOKENS_ALLOWED_STATIC_SOURCES")} is set, and IAM_TOKENS_ALLOWED_COMMANDS is not.`,
        {
          remedy:
            "Let whoever set the one list set the other: a program can read any file and variable.",
        },
      );
    const command = allowedCommand(reference, processContext);
    return secretOfCommand(command, reference.origin, processContext, reading);
  }
  return readSecret(reference, processContext, (place) => {
    const what = reference.kind === "env" ? placeOf(reference) : `The file ${quote(place, "path")}`;
    assertAllowed("place", place, what, processContext);
  });
}

function placeOf(reference: StaticPlace): Text {
  if (reference.kind === "env") return ofProcess(`The environment variable ${reference.place}`);
  if (reference.kind === "command") return "The output of the command (command)";
  return reference.kind === "file"
    ? ofProcess(`The file ${quote(reference.place, "path")}`)
    : reference.origin;
}

function exactlyOnePlace(config: CtyObject): readonly Diagnostic[] {
  const given = placesIn(config).map(({ kind }) => kind);
  // An unknown value may become the only source, or null.
  const open = PLACES.some((name) => config[name] === UNKNOWN);
  if (given.length === 1 || (open && given.length === 0)) return [];
  const problem =
    given.length === 0
      ? "None of env, file, command and value is given."
      : words`${list(given)} are given.`;
  return [toDiagnostic(new IamTokensError("ERR_STATIC_SOURCE_INVALID", problem), NOWHERE)];
}

const EPHEMERAL: BlockSchema = {
  description:
    "A static token, read when it is needed and never stored in plan or state. Give one of env, file, command and value. Unknown in a plan in which an argument is.",
  attributes: { ...STATIC_TOKEN_ARGUMENTS, ...STATIC_TOKEN_ATTRIBUTES },
};

/** `ephemeral "iam_static_token"`: read when Terraform opens it. */
export function ephemeralIamStaticToken(
  processContext: ProcessContext,
): EphemeralResource<IamSession> {
  return {
    schema: EPHEMERAL,
    validate: validateStaticToken,
    open: (config, reading) => lookUp(config, processContext, reading),
  };
}

const DATA: BlockSchema = {
  description:
    "A static token, read at each plan. It is stored in plan and state; it gives full access and never expires. Give one of env, file, " +
    "command and value. Unknown in a plan in which an argument is, or in which something changes that it depends on.",
  attributes: {
    ...STATIC_TOKEN_ARGUMENTS,
    accept_in_state: argument(
      "bool",
      "true accepts that the token is stored in plan and state, and silences the warning. By default each read warns.",
    ),
    ...STATIC_TOKEN_ATTRIBUTES,
  },
};

const inState = () =>
  warning(
    "A static token is stored in plan and state: full access that never expires",
    'Use ephemeral "iam_static_token" instead, or set accept_in_state = true to accept this.',
  );

/**
 * `data "iam_static_token"`: read at each plan, and then part of every version of the state.
 */
export function dataIamStaticToken(processContext: ProcessContext): DataSource<IamSession> {
  return {
    schema: DATA,
    validate: validateStaticToken,
    async read(config, reading) {
      const { result: state, diagnostics } = await lookUp(config, processContext, reading);
      if (state === undefined) return { diagnostics };
      return { state, diagnostics: config.accept_in_state === true ? [] : [inState()] };
    },
  };
}
