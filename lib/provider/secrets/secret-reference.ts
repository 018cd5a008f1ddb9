import type { Log } from "../../plugin/provider";
import {
  COMMAND_FORM,
  IamTokensError,
  isVariableName,
  isVariablesValue,
  mistakeInCommand,
  Secret,
  type Text,
  words,
} from "../../tokens";
import type { ProcessContext } from "../process/process-context";
import type { Command } from "../process/run-program";

/** The place of a secret, and the setting that names it: `password_file of the provider block`. */
export type SecretReference =
  | PlacedSecret
  | CommandReference
  /** GitHub Actions is asked for an identity token for this audience. */
  | Place<"audience", string>;

/** A program with its arguments, in a form that is not checked yet. */
export type CommandReference = Place<"command", readonly unknown[]>;

/** A secret that is only read. */
export type PlacedSecret = Place<"value", Secret> | Place<"env" | "file", string>;

interface Place<Kind extends string, At> {
  readonly kind: Kind;
  readonly place: At;
  readonly origin: Text;
}

/** A secret by the kind of its place. */
export function placedSecret(kind: PlacedSecret["kind"], text: string, origin: Text): PlacedSecret {
  return kind === "value"
    ? { kind, place: Secret.of(text), origin }
    : { kind, place: text, origin };
}

/** The value of a secret's argument: the secret, or where it is. */
export const givenBy = (secret: SecretReference) =>
  secret.kind === "value" ? secret.place.reveal() : secret.place;

/** Equal for two settings that name one place, whatever their own names. */
export function identityOf({ kind, place }: SecretReference): string {
  return JSON.stringify([kind, place]);
}

/** An operation that waits for a secret. */
export interface Reading {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Checks the name of a variable. A wrong one is not repeated: it may be the secret itself.
 *
 * @param variables the environment, where it is known
 * @throws ERR_SECRET_MISSING
 */
export function assertVariableName(
  origin: Text,
  name: string,
  variables: ProcessContext["variables"] = {},
): void {
  if (isVariableName(name) && !isVariablesValue(name, variables)) return;
  throw new IamTokensError(
    "ERR_SECRET_MISSING",
    words`${origin} is ${isVariableName(name) ? "the value" : "not the name"} of an environment variable.`,
    {
      allowed: "letters, digits and _, not starting with a digit",
      remedy: "Give the name of the variable that holds the secret, not the secret itself.",
    },
  );
}

/**
 * The list of a command. Its arguments are not repeated: one may be a secret.
 *
 * @throws ERR_COMMAND_FAILED
 */
export function parseCommand(origin: Text, parts: readonly unknown[]): Command {
  const mistake = mistakeInCommand(parts);
  if (mistake === undefined) return parts as Command;
  throw new IamTokensError("ERR_COMMAND_FAILED", words`${origin} ${mistake}.`, COMMAND_FORM);
}

/** Checks the path of a file. @throws ERR_SECRET_UNREADABLE */
export function assertFilePath(origin: Text, path: string): void {
  if (path === "" || /\p{Cc}/u.test(path)) {
    throw new IamTokensError(
      "ERR_SECRET_UNREADABLE",
      words`${origin} is ${path === "" ? "empty" : "not a path: it contains a control character"}.`,
    );
  }
  // `C:file`: it may name another file in each process.
  if (process.platform === "win32" && /^[a-z]:(?![\\/])/i.test(path)) {
    throw new IamTokensError(
      "ERR_SECRET_UNREADABLE",
      words`${origin} starts from the folder that Windows remembers for a drive.`,
      { remedy: "Give the whole path (C:\\folder\\file), or one without the drive." },
    );
  }
}
