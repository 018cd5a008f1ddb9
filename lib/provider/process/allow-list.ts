import {
  type AuthUrl,
  addressOf,
  type ErrorCode,
  IamTokensError,
  mayBeSame,
  ofProcess,
  parseSharedAuthUrl,
  type Text,
  type UnresolvedUrl,
  words,
} from "../../tokens";
import { named } from "../wording";
import { realPathOf, staysInFolder } from "./own-folder";
import type { ProcessContext } from "./process-context";

/** The identity services that a pipeline's secrets may be sent to. */
export const ALLOWED_AUTH_URLS = "IAM_TOKENS_ALLOWED_AUTH_URLS";

/** Lists that only the environment can give: no module can extend them. */
const LISTS = {
  /** Addresses; one without a version stands for every path of its scheme, host and port. */
  address: [ALLOWED_AUTH_URLS, "ERR_ADDRESS_NOT_ALLOWED"],
  /**
   * Names of variables, and paths of files: the real path, or that of a link to a file below its
   * own folder (as Kubernetes mounts secrets). A `*` at the end stands for any rest.
   */
  place: ["IAM_TOKENS_ALLOWED_STATIC_SOURCES", "ERR_STATIC_SOURCE_NOT_ALLOWED"],
  /** Programs, compared with the first word of a command. */
  program: ["IAM_TOKENS_ALLOWED_COMMANDS", "ERR_COMMAND_NOT_ALLOWED"],
} as const satisfies Record<string, readonly [variable: string, ErrorCode]>;

/**
 * Refuses what a list does not have, before anything is read, run or sent. A list that is not set
 * allows everything, an empty one nothing.
 *
 * @param what the subject of the message
 * @throws the list's code; ERR_ADDRESS_INVALID if an entry for addresses is none
 */
export function assertAllowed(
  kind: keyof typeof LISTS,
  given: string,
  what: Text,
  { variables }: ProcessContext,
): void {
  const [variable, code] = LISTS[kind];
  const entries = variables[variable]
    ?.split(kind === "address" ? /[\s,]+/ : ",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries === undefined) return;
  const fitting = entries.map((entry, index) => {
    if (kind === "address")
      return named(words`Entry ${index + 1} of ${ofProcess(variable)}`, () =>
        mayBeSame(parseSharedAuthUrl(entry), parseSharedAuthUrl(given)),
      );
    if (given === entry || kind !== "place") return given === entry;
    return entry.endsWith("*")
      ? given.startsWith(entry.slice(0, -1))
      : realPathOf(entry) === given && staysInFolder(entry, given);
  });
  if (fitting.includes(true)) return;
  throw new IamTokensError(
    code,
    words`${what} may not be used: ${ofProcess(variable)} does not list it (entries: ${entries.length}).`,
  );
}

/** Whether the pipeline has set a list. */
export function hasList(kind: keyof typeof LISTS, { variables }: ProcessContext): boolean {
  return variables[LISTS[kind][0]] !== undefined;
}

/**
 * Refuses an address that no secret may be sent to. One without a version may be asked about, which
 * needs no secret; then its answer is judged.
 *
 * @throws as {@link assertAllowed}
 */
export function assertAllowedAuthUrl(
  authUrl: AuthUrl | UnresolvedUrl,
  processContext: ProcessContext,
): void {
  const address = addressOf(authUrl);
  assertAllowed("address", address, `The address ${address}`, processContext);
}
