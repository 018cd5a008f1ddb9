import type { CtyObject } from "../../plugin/cty/value";

/** A refresh has found a rotation due. Plan and apply follow it, whatever their clocks say. */
export interface DueNote {
  /** The time of the refresh, by its clock, in milliseconds since 1970. */
  readonly at: number;
  /** The service does not know its token any more. */
  readonly isGone: boolean;
}

/**
 * Private data of a resource that rotates: a line of JSON that says for whom its token was issued
 * (empty without one), and, while it is due, a second line with the note. Terraform keeps both in
 * clear text, with the state.
 */
export function issuedForIn(privateData: Uint8Array): string {
  return linesOf(privateData)[0];
}

/** The note, if it is about the rotation in this state: not about one before it. */
export function dueNoteIn(privateData: Uint8Array, state: CtyObject): DueNote | undefined {
  const [, line] = linesOf(privateData);
  const rotation = rotationOf(state);
  if (!line.startsWith(rotation)) return undefined;
  const [, at, gone] = /^ (\d{1,15})( gone)?$/.exec(line.slice(rotation.length)) ?? [];
  return at === undefined ? undefined : { at: Number(at), isGone: gone !== undefined };
}

/** The private data with this note, or without one. */
export function withDueNote(
  privateData: Uint8Array,
  state: CtyObject,
  note: DueNote | undefined,
): Uint8Array {
  const line = note && `\n${rotationOf(state)} ${note.at}${note.isGone ? " gone" : ""}`;
  return Buffer.from(issuedForIn(privateData) + (line ?? ""));
}

/** A name that no other rotation has, even if the state was edited. */
function rotationOf({ id, rotation, fingerprint = null }: CtyObject): string {
  return JSON.stringify([id, rotation, fingerprint]);
}

function linesOf(privateData: Uint8Array): readonly [issuedFor: string, note: string] {
  const [issuedFor = "", note = ""] = Buffer.from(privateData).toString().split("\n");
  return [issuedFor, note];
}
