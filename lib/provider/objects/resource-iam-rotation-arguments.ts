import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { IamTokensError, parseDuration } from "../../tokens";
import { isKnown, textArgument } from "../argument";
import { check, toDiagnostic } from "../diagnostics";
import { assertThreshold } from "../rotation/assert-threshold";
import { list } from "../wording";

const NAMES = ["rotate_every", "lifetime", "rotate_when_remaining"] as const;
type Name = (typeof NAMES)[number];

/** The mistakes in the arguments of a rotation, each on its path. Passes over what is unknown. */
export function validateRotation(config: CtyObject): readonly Diagnostic[] {
  const wrong = NAMES.flatMap((name) => check([name], () => durationIn(config, name)));
  return wrong.length > 0 ? wrong : [...oneWay(config), ...belowLifetime(config)];
}

/**
 * Milliseconds from one rotation to the next; undefined as long as that is not known. For a block
 * without mistakes.
 */
export function intervalOf(config: CtyObject): number | undefined {
  const every = durationIn(config, "rotate_every");
  const [lifetime, remaining] = [
    durationIn(config, "lifetime"),
    durationIn(config, "rotate_when_remaining"),
  ];
  return (
    every ?? (lifetime === undefined || remaining === undefined ? undefined : lifetime - remaining)
  );
}

function durationIn(config: CtyObject, name: Name): number | undefined {
  const text = textArgument(config, name);
  return isKnown(text) ? parseDuration(text, name) : undefined;
}

function oneWay(config: CtyObject): readonly Diagnostic[] {
  const known = NAMES.filter((name) => isKnown(textArgument(config, name)));
  const open = NAMES.some((name) => textArgument(config, name) === UNKNOWN);
  const mixed = known.includes("rotate_every") && known.length > 1;
  const whole = known.includes("rotate_every") || known.length === 2;
  if (!mixed && (whole || open)) return [];
  const given =
    known.length === 0
      ? "None of them is given"
      : `${list(known)} ${known.length > 1 ? "are" : "is"} given`;
  const last = known.at(-1);
  return [
    toDiagnostic(
      new IamTokensError("ERR_ROTATION_INVALID", `${given}.`),
      last === undefined ? undefined : [last],
    ),
  ];
}

function belowLifetime(config: CtyObject): readonly Diagnostic[] {
  const [lifetime, remaining] = [
    durationIn(config, "lifetime"),
    durationIn(config, "rotate_when_remaining"),
  ];
  if (lifetime === undefined || remaining === undefined) return [];
  return check(["rotate_when_remaining"], () =>
    assertThreshold("with rotate_when_remaining", remaining, "What is rotated lives", lifetime),
  );
}
