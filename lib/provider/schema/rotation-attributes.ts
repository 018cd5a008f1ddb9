import type { AttributeSchema } from "../../plugin/provider";
import { argument, computed } from "./attribute";

/** What forces a rotation. */
export const KEEPERS: AttributeSchema = argument(
  ["map", "string"],
  "Any texts; a change of one of them rotates. They stand in the state in clear.",
);

/** What every resource that rotates has. */
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
