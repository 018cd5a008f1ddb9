import { closeSync, openSync, rmSync } from "node:fs";
import { readJson, replaceFile, statsAt, unusedPath } from "../../delivery/files";
import { member } from "../../hcl/json";
import type { Usage } from "../../identity";
import { type ErrorCode, errorCodeOf, IamTokensError, quote } from "../../tokens";

/** The summary for people: one line; empty if no token was requested. */
export function toTextSummary({ uses, briefUses, requests, retries, waitedMs }: Usage): string {
  if (requests === 0 && uses === 0) return "";
  const brief = briefUses > 0 ? ` (with less than 1 h left: ${briefUses})` : "";
  return `iam-tokens: uses: ${uses}${brief}, requests: ${requests}, retries: ${retries}, waited ${Math.round(waitedMs)} ms\n`;
}

/** The summary for machines. */
export function toJsonSummary(usage: Usage): string {
  const { tokens, uses, briefUses, requests, retries, waitedMs } = usage;
  const total = {
    ...{ tokens, uses, uses_below_one_hour: briefUses },
    ...{ requests, retries, waited_ms: Math.round(waitedMs) },
  };
  return `${JSON.stringify({ total }, null, 2)}\n`;
}

/**
 * The file of --summary. It replaces a summary or an empty file, never anything else, and stays as
 * it is until there is something to write.
 */
export function summaryFile(path: string) {
  const safely = (code: ErrorCode, write: () => void): void => {
    const refused = (why: string, remedy: string) =>
      new IamTokensError(code, `--summary names ${quote(path)}, which ${why}.`, { remedy });
    if (!isReplaceable(path)) throw refused("is there and is no summary", "Give a new file.");
    try {
      write();
    } catch (error) {
      const remedy = "Give the path of a file in an existing, writable folder.";
      throw refused(`cannot be written (${errorCodeOf(error)})`, remedy);
    }
  };
  return {
    /** Before the command starts. @throws ERR_USAGE */
    assertWritable: () =>
      safely("ERR_USAGE", () => {
        const trial = unusedPath(`${path}.`);
        closeSync(openSync(trial, "wx", 0o600));
        rmSync(trial);
      }),
    /**
     * @param text undefined to remove that of an earlier run, which would be taken for this one's
     * @throws ERR_OUTPUT_FILE
     */
    write: (text: string | undefined) =>
      safely("ERR_OUTPUT_FILE", () => {
        if (text === undefined) rmSync(path, { force: true });
        else replaceFile(path, text, 0o600);
      }),
  };
}

function isReplaceable(path: string): boolean {
  const stats = statsAt(path);
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return true;
  return (
    stats.isFile() && member(member(readJson(path), "total"), "uses_below_one_hour") !== undefined
  );
}
