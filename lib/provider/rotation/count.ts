import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";
import { argument, computed } from "../configuration/attribute";

/** What forces a rotation. */
export const KEEPERS: AttributeSchema = argument(
  ["map", "string"],
  "Any texts; a change of one of them rotates. They stand in the state in clear.",
);

/** What every resource that rotates has: see {@link Count}. */
export const ROTATION_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  id: computed(
    "string",
    "Random, new with each creation. Together with rotation it names each rotation once.",
  ),
  rotation: computed(
    "number",
    "1 when it is created, one higher with each rotation. Known in the plan that rotates.",
  ),
};

/** What names a rotation once, for ever. */
interface Count extends CtyObject {
  readonly id: CtyValue;
  readonly rotation: number;
}

/** That of a new instance. */
export function firstCount(newId: () => CtyValue): Count {
  return { id: newId(), rotation: 1 };
}

/** That after the one of a state. A lost one begins again with a new id: no name comes twice. */
export function countAfter(state: CtyObject, newId: () => CtyValue): Count {
  const number = numberIn(state);
  return number === undefined ? firstCount(newId) : { id: state.id ?? null, rotation: number + 1 };
}

/** Whether id or number are not what this provider writes, but an edit by hand. */
export function isCountLost(state: CtyObject): boolean {
  return numberIn(state) === undefined;
}

function numberIn({ id, rotation }: CtyObject): number | undefined {
  if (typeof id !== "string" || id === "" || typeof rotation !== "number") return undefined;
  return rotation >= 1 && Number.isSafeInteger(rotation) && Number.isSafeInteger(rotation + 1)
    ? rotation
    : undefined;
}
