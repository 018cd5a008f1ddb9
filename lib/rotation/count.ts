import type { StoredState } from "./due";

/** A permanent, unique name of a rotation. */
type Count<Id> = { readonly id: Id; readonly rotation: number };

/** The count of a new instance. */
export function firstCount<Id>(newId: () => Id): Count<Id> {
  return { id: newId(), rotation: 1 };
}

/** The count after that of a state. A lost one starts again with a new id: no name occurs twice. */
export function countAfter<Id>(state: StoredState, newId: () => Id): Count<Id | string> {
  const count = countIn(state);
  return count === undefined ? firstCount(newId) : { id: count.id, rotation: count.rotation + 1 };
}

/** Whether id or number come from an edit by hand instead of this provider. */
export function isCountLost(state: StoredState): boolean {
  return countIn(state) === undefined;
}

function countIn({ id, rotation }: StoredState): Count<string> | undefined {
  if (typeof id !== "string" || id === "" || typeof rotation !== "number") return undefined;
  return rotation >= 1 && Number.isSafeInteger(rotation) && Number.isSafeInteger(rotation + 1)
    ? { id, rotation }
    : undefined;
}
