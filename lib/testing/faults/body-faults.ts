/**
 * What can be wrong with the body of an answer: one list for what a configuration may say and what
 * chance may choose.
 */
export const BODY_FAULTS = [
  "empty",
  "not_json",
  "cut",
  "compressed",
  "echo",
  "other_scope",
  "other_project",
  "other_account",
  "whole_system",
  "expired",
  "endless",
  "no_expiry",
  "aged",
  "wrong_types",
  "deep",
] as const;
