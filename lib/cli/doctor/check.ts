import type { CredentialDescription } from "../../provider/credentials/source";
import type { ProcessContext } from "../../provider/process/process-context";
import { type AuthUrl, IamTokensError, printable } from "../../tokens";
import type { CliContext } from "../cli-context";
import type { Arguments, DeclaredToken, Project } from "../stacks";

/** Examines one thing, and changes nothing. It has its own time limits. */
export type Check = (
  context: DoctorContext,
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** Everything that checks use. */
export interface DoctorContext extends Pick<CliContext, "env" | "now" | "version"> {
  /** The folder to check. */
  readonly folder: string;
  readonly project: Project;
  /** The Terraform or OpenTofu that the CDKTF command line runs. */
  readonly binary: string;
  readonly services: readonly Service[];
  /** The value of --issue: true without a project. */
  readonly issue: string | true | undefined;
}

/** An identity service with its credentials: of equal provider blocks, or of the environment. */
export interface Service extends Arguments {
  readonly about: string;
  readonly stacks: readonly string[];
  readonly processContext: ProcessContext;
  /** Undefined if only Terraform can know them, or if they are wrong. */
  readonly description?: CredentialDescription;
  /** Also of a block of which only Terraform knows the rest. */
  readonly authUrl?: AuthUrl;
  /** What is wrong with the credentials. */
  readonly error?: unknown;
  readonly requests: readonly DeclaredToken[];
}

/**
 * Printed as it is, in lines and in JSON. `skipped`: not checked, for the reason in the text. Only
 * `failed` makes the command fail.
 */
type Status = "ok" | "warning" | "failed" | "skipped";

/** Result of a check of one thing. Contains no secrets. */
export interface Finding {
  readonly status: Status;
  /** One or two sentences. */
  readonly text: string;
  /** The next step; every failure has one. */
  readonly remedy?: string;
  /** The subject: a provider block, or the environment. */
  readonly about?: string;
  /** The stacks of which this is true. */
  readonly stacks?: readonly string[];
}

export const ok = (text: string): Finding => ({ status: "ok", text });
export const skipped = (text: string): Finding => ({ status: "skipped", text });
const toFix = (status: Status) => (text: string, remedy: string) => ({ status, text, remedy });
export const warning = toFix("warning");
export const failure = toFix("failed");

/** Turns an error of this package into a failure; any other error is thrown again. */
export function failureOf(error: unknown): Finding {
  if (!IamTokensError.is(error)) throw error;
  const allowed = error.allowed === undefined ? "" : ` Allowed: ${error.allowed}.`;
  return failure(oneLine(`${error.problem}${allowed} [${error.code}]`), error.remedy);
}

/** A text on one line; only the items of a list keep their lines. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\n\s*(- )?/g, (_, item?: string) => (item ? `\n${item}` : " "));
}

/** The findings as they are printed: equal ones of several stacks are one, with their names. */
export function merged(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { stacks = [], ...finding } of findings) {
    const key = JSON.stringify(finding);
    const before = found.get(key)?.stacks ?? [];
    found.set(key, { ...finding, stacks: [...new Set([...before, ...stacks])] });
  }
  return [...found.values()].map(({ about, stacks = [], text, ...rest }) => {
    const names =
      stacks.length > 1 ? `stacks ${stacks.join(", ")}` : stacks[0] && `stack ${stacks}`;
    const subject = [about, names].filter(Boolean).join(" of ");
    return { ...rest, text: subject === "" ? text : `${subject}: ${text}` };
  });
}

/** Width of the longest name of a check. */
const NAME_WIDTH = 16;

/** The printed form of a finding: a line, and another for the next step. */
export function lineOf(check: string, { status, text, remedy }: Finding): string {
  const word = status.padEnd("warning".length);
  const indent = " ".repeat(word.length + 1 + NAME_WIDTH);
  // Names of files and stacks may contain characters that a terminal or a CI system interprets.
  const lines = text.split(/\n(?=- )/).map(printable);
  const next = remedy === undefined ? "" : `${indent} -> ${printable(remedy)}\n`;
  return `${word} ${check.padEnd(NAME_WIDTH)} ${lines.join(`\n${indent} `)}\n${next}`;
}
