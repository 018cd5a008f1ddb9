import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { IamTokensError } from "../../tokens";
import { toDiagnostic } from "../diagnostics";

/** Refuses arguments of the contract whose rule is not built: accepted and ignored, a guard would seem to be there. */
export function refuseNotBuiltYet(config: CtyObject, names: readonly string[]): readonly Diagnostic[] {
  return names
    .filter((name) => (config[name] ?? null) !== null && config[name] !== UNKNOWN)
    .map((name) =>
      toDiagnostic(new IamTokensError("ERR_NOT_BUILT_YET", `${name} is given, and this version does not honour it.`), [name]),
    );
}
