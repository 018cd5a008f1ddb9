import { IamTokensError, printable } from "../../tokens";
import type { CliContext } from "../cli-context";
import { inShellWords } from "../shell-words";

/** The subject of the checks: a folder, its stacks, a Terraform, and where credentials come from. */
export interface DoctorContext extends Pick<CliContext, "env" | "now" | "version" | "program"> {
  /** The folder to check. */
  readonly folder: string;
  /** The folders in it in which Terraform runs. */
  readonly stacks: readonly string[];
  /** The Terraform or OpenTofu that the CDKTF command line runs. */
  readonly binary: string;
  readonly cloud?: string;
  /** Whether the environment or a cloud gives credentials. */
  readonly hasSource: boolean;
  /** Whether to run `terraform init`. */
  readonly init?: true;
  readonly issue?: true;
  /** The project of the token to issue. */
  readonly project?: string;
}

/**
 * Printed as it is, in lines and in JSON. `skipped`: not checked, for the reason in the text; with
 * a next step, it should have been. That and `failed` make the command fail.
 */
type Status = "ok" | "warning" | "failed" | "skipped";

/** Result of a check of one thing. Contains no secrets. */
export interface Finding {
  readonly status: Status;
  /** One or two sentences. */
  readonly text: string;
  /** The next step; every failure has one. */
  readonly remedy?: string;
}

const as = (status: Status) => (text: string, remedy: string) => ({ status, text, remedy });
export const ok = (text: string): Finding => ({ status: "ok", text });
export const warning = as("warning");
export const failure = as("failed");
export const skipped = (text: string, remedy?: string): Finding =>
  remedy === undefined ? { status: "skipped", text } : as("skipped")(text, remedy);

/** Turns an error of this package into a failure; any other error is thrown again. */
export function failureOf(error: unknown): Finding {
  const said = inShellWords(error);
  if (!IamTokensError.is(said)) throw error;
  const allowed = said.allowed === undefined ? "" : ` Allowed: ${said.allowed}.`;
  return failure(oneLine(`${said.problem}${allowed} [${said.code}]`), said.remedy);
}

/** A string on one line; only the items of a list keep their lines. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\n\s*(- )?/g, (_, item?: string) => (item ? `\n${item}` : " "));
}

/** Width of the longest name of a check. */
const NAME_WIDTH = 16;

/** The printed form of a finding: a line, and another for the next step. */
export function lineOf(check: string, { status, text, remedy }: Finding): string {
  const start = `${status.padEnd("warning".length)} ${check.padEnd(NAME_WIDTH)} `;
  const indent = " ".repeat(start.length);
  // Names of files and stacks may contain characters that a terminal or a CI system interprets.
  const lines = text.split(/\n(?=- )/).map((line) => printable(line));
  const next = remedy === undefined ? "" : `${indent}-> ${printable(remedy)}\n`;
  return `${start}${lines.join(`\n${indent}`)}\n${next}`;
}
