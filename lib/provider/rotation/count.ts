import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";
import { argument, computed } from "../configuration/attribute";

/** Values whose change forces a rotation. */
export const KEEPERS: AttributeSchema = argument(
  ["map", "string"],
  "Any strings; a change of one of them rotates. They are stored in the state in plain text.",
);

/** Attributes of every resource that rotates: see {@link Count}. */
export const ROTATION_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  id: computed(
    "string",
    "Random, new with each creation. Together with rotation it identifies each rotation.",
  ),
  rotation: computed(
    "number",
    "1 at creation, one more with each rotation. Known in the plan that rotates.",
  ),
};

/** A permanent, unique name of a rotation. */
interface Count extends CtyObject {
  readonly id: CtyValue;
  readonly rotation: number;
}

/** The count of a new instance. */
export function firstCount(newId: () => CtyValue): Count {
  return { id: newId(), rotation: 1 };
}

/** The count after that of a state. A lost one starts again with a new id: no name occurs twice. */
export function countAfter(state: CtyObject, newId: () => CtyValue): Count {
  const number = numberIn(state);
  return number === undefined ? firstCount(newId) : { id: state.id ?? null, rotation: number + 1 };
}

/** Whether id or number come from an edit by hand instead of this provider. */
export function isCountLost(state: CtyObject): boolean {
  return numberIn(state) === undefined;
}

function numberIn({ id, rotation }: CtyObject): number | undefined {
  if (typeof id !== "string" || id === "" || typeof rotation !== "number") return undefined;
  return rotation >= 1 && Number.isSafeInteger(rotation) && Number.isSafeInteger(rotation + 1)
    ? rotation
    : undefined;
}
