import type { Mistakes } from "./mistakes";
import { shown } from "./shown";

/** A name of an environment variable; undefined for what is none. */
export function checkVariableName(
  where: string,
  value: unknown,
  mistakes: Mistakes,
): string | undefined {
  if (typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(value)) return value;
  mistakes.add("ERR_NAME_INVALID", `${where} was given ${shown(value)}.`, {
    allowed:
      "the name of an environment variable: letters, digits and _, not beginning with a digit",
    remedy: "Give the name that the command reads the token from.",
  });
  return undefined;
}
