import {
  assertName,
  assertSegment,
  parseAuthUrl,
  parseBaseUrl,
  parseRetryFor,
  type Text,
} from "../../tokens";
import type { ArgumentKind } from "../../tokens/provider-arguments";
import { secretOfText } from "../secrets/read-secret";
import { assertFilePath, assertVariableName, parseCommand } from "../secrets/secret-reference";
import { named } from "../wording";

/** The checks of values, by the kind of their argument. */
const CHECKS: Record<ArgumentKind, ((origin: Text, text: string) => unknown) | undefined> = {
  address: (origin, text) => named(origin, () => parseAuthUrl(text)),
  account: (origin, text) => assertName(origin, text, "ERR_ACCOUNT_INVALID"),
  name: assertName,
  segment: assertSegment,
  value: secretOfText,
  env: assertVariableName,
  audience: assertName,
  file: assertFilePath,
  "base address": (origin, text) => named(origin, () => parseBaseUrl(text)),
  cloud: (origin, text) =>
    assertName(origin, text, "ERR_NAME_INVALID", "Give the name of an entry of clouds.yaml."),
  duration: (origin, text) => parseRetryFor(text, origin),
  // A list.
  command: undefined,
  // A path of another form is not repeated.
  own: undefined,
};

/** Checks a value by the kind of its argument. @param origin its name in messages */
export function assertValue(
  kind: ArgumentKind,
  origin: Text,
  value: string | readonly unknown[],
): void {
  if (typeof value === "string") CHECKS[kind]?.(origin, value);
  else parseCommand(origin, value);
}
