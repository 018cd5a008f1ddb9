import { IamTokensError } from "../../tokens";

/** `skipped`: not looked at, for a reason that is told. Only a cross makes the command fail. */
export type Status = "ok" | "warning" | "cross" | "skipped";

/** What a check says of one thing. It holds no secret. */
export interface Finding {
  readonly status: Status;
  /** One sentence or two. */
  readonly text: string;
  /** The next step; every cross has one. */
  readonly remedy?: string;
}

export const ok = (text: string): Finding => ({ status: "ok", text });
export const skipped = (text: string): Finding => ({ status: "skipped", text });
export const warning = (text: string, remedy: string): Finding => ({
  status: "warning",
  text,
  remedy,
});
export const cross = (text: string, remedy: string): Finding => ({ status: "cross", text, remedy });

/**
 * The cross that an error of this package stands for; any other error is thrown again.
 *
 * @param about what it is about, for the beginning of the line
 */
export function crossOf(error: unknown, about?: string): Finding {
  if (!IamTokensError.is(error)) throw error;
  const allowed = error.allowed === undefined ? "" : ` Allowed: ${error.allowed}.`;
  const text = `${about === undefined ? "" : `${about}: `}${error.problem}${allowed} [${error.code}]`;
  // A line is a finding: lists in a problem are told in one.
  return cross(text.replaceAll(/\s*\n\s*/g, " "), error.remedy);
}

/** The findings that there are; where there are none, the one that says that all is well. */
export function unless(found: readonly Finding[], fine: () => Finding): readonly Finding[] {
  return found.length > 0 ? found : [fine()];
}
