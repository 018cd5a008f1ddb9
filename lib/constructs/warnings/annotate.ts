import { AnnotationMetadataEntryType } from "cdktf";
import type { IConstruct } from "constructs";
import { isAcknowledged, type WarningCode, warningText } from "./warnings";

/** How many users a message names. */
const NAMED = 5;

/**
 * Warns at a construct, unless the user has acknowledged it. The construct may be surveyed more
 * than once: validated again, or in a stack inside another.
 */
export function warnOnce(construct: IConstruct, code: WarningCode, text: string): void {
  const level = AnnotationMetadataEntryType.WARN;
  const message = warningText({ code, text });
  const isThere = construct.node.metadata.some(
    (entry) => entry.type === level && entry.data === message,
  );
  if (isThere || isAcknowledged(construct, code)) return;
  // As cdktf's Annotations do, but without a stack trace: it costs 0.15 ms, and would lead to the
  // synthesis, not to the declaration.
  construct.node.addMetadata(level, message);
}

/** The names for a message: each once, and not too many. */
export function namesOf(all: readonly string[]): string {
  const names = [...new Set(all)];
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
