import { AnnotationMetadataEntryType, Annotations } from "cdktf";
import type { IConstruct } from "constructs";

/** How many users a message names. */
const NAMED = 5;

/**
 * Warns at a construct. It may be surveyed more than once: validated again, or in a stack inside
 * another.
 */
export function warnOnce(construct: IConstruct, message: string): void {
  annotateOnce(construct, AnnotationMetadataEntryType.WARN, message);
}

/** Says something at a construct that is no warning. */
export function informOnce(construct: IConstruct, message: string): void {
  annotateOnce(construct, AnnotationMetadataEntryType.INFO, message);
}

/** A list of what a message names: each once, and not too many. */
export function namesOf(all: readonly string[]): string {
  const names = [...new Set(all)];
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function annotateOnce(
  construct: IConstruct,
  level: AnnotationMetadataEntryType,
  message: string,
): void {
  if (construct.node.metadata.some((entry) => entry.type === level && entry.data === message))
    return;
  if (level === AnnotationMetadataEntryType.WARN) Annotations.of(construct).addWarning(message);
  else Annotations.of(construct).addInfo(message);
}
