import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { escaped, IamTokensError } from "../../tokens";
import { allowList, notListed } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";

/**
 * The variables and files from which static tokens may be read. No module can extend the list.
 *
 * Names of variables and absolute paths, separated by commas; a `*` at the end of one stands for
 * any rest. If it is not set, every place is allowed; if it is empty, none is. It does not restrict
 * `value`: that is Terraform's own value, and the provider reads nothing for it.
 */
export const ALLOWED_STATIC_SOURCES = "IAM_TOKENS_ALLOWED_STATIC_SOURCES";

/**
 * Refuses a variable that the list does not contain, before it is read.
 *
 * @throws ERR_STATIC_SOURCE_NOT_ALLOWED, also for a list with a mistake: it allows nothing
 */
export function assertAllowedVariable(name: string, processContext: ProcessContext): void {
  const entries = entriesOf(processContext);
  if (entries?.variables.some((entry) => matches(entry, keyOf(name))) === false)
    throw notAllowed(`The environment variable ${name}`, entries);
}

/**
 * A check of files by the list; undefined without one. A file counts by its real path, without
 * links, and so do the entries: `/run/tokens/*` allows nothing that a link in that folder leads to.
 */
export function fileRule(
  processContext: ProcessContext,
): ((realPath: string) => Promise<void>) | undefined {
  const entries = entriesOf(processContext);
  if (entries === undefined) return undefined;
  return async (path) => {
    const real = keyOf(path);
    for (const entry of entries.paths) if (matches(await withoutLinks(entry), real)) return;
    throw notAllowed(`The file ${escaped(path)}`, entries);
  };
}

/** What may stand for a name or a path: the whole, or its beginning. */
interface Entry {
  readonly text: string;
  readonly isBeginning: boolean;
}

interface Entries {
  readonly variables: readonly Entry[];
  readonly paths: readonly Entry[];
}

function entriesOf(processContext: ProcessContext): Entries | undefined {
  const given = allowList(ALLOWED_STATIC_SOURCES, processContext);
  if (given === undefined) return undefined;
  const entries = given.map((each, index): Entry => {
    const isBeginning = each.endsWith("*");
    const entry = { text: isBeginning ? each.slice(0, -1) : each, isBeginning };
    if (isVariable(entry) || isPath(entry)) return entry;
    throw new IamTokensError(
      "ERR_STATIC_SOURCE_NOT_ALLOWED",
      `Entry ${index + 1} of ${ALLOWED_STATIC_SOURCES} is neither the name of a variable nor an absolute path, so nothing is allowed.`,
      {
        allowed:
          "names and absolute paths without . and .., separated by commas, each with or without a * at its end",
        remedy: "Correct the list.",
      },
    );
  });
  return {
    variables: entries.filter(isVariable).map((entry) => ({ ...entry, text: keyOf(entry.text) })),
    paths: entries.filter(isPath),
  };
}

function isVariable({ text }: Entry): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

function isPath({ text }: Entry): boolean {
  return isAbsolute(text) && normalize(text) === text && !text.includes("*");
}

/** The folder of a beginning may be a link as well; one that does not exist stays as it is. */
async function withoutLinks({ text, isBeginning }: Entry): Promise<Entry> {
  const real = (path: string) => realpath(path).catch(() => path);
  if (!isBeginning) return { text: keyOf(await real(text)), isBeginning };
  const isFolder = text.endsWith(SEPARATOR);
  const folder = await real(isFolder ? text : dirname(text));
  return {
    text: keyOf(isFolder ? join(folder, SEPARATOR) : join(folder, basename(text))),
    isBeginning,
  };
}

const SEPARATOR = process.platform === "win32" ? "\\" : "/";

function matches({ text, isBeginning }: Entry, key: string): boolean {
  return isBeginning ? key.startsWith(text) : key === text;
}

/** Windows finds variables and files in any case. */
const keyOf = (text: string) => (process.platform === "win32" ? text.toUpperCase() : text);

function notAllowed(place: string, { variables, paths }: Entries): IamTokensError {
  const count = variables.length + paths.length;
  return new IamTokensError(
    "ERR_STATIC_SOURCE_NOT_ALLOWED",
    `${place} may not give a static token: ${notListed(ALLOWED_STATIC_SOURCES, count, "place")}`,
  );
}
