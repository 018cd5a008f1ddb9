import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A request and its answer, as a real Keystone gave it. Secrets are placeholders. */
export interface RecordedExchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    /** Path and query. */
    readonly target: string;
    readonly headers: Headers;
    readonly body: string;
  };
  readonly answer: {
    readonly status: number;
    readonly reason: string;
    readonly headers: Headers;
    readonly body: string;
  };
}

/** In order, names as they were written. */
export type Headers = readonly (readonly [name: string, value: string])[];

const FOLDER = join(__dirname, "recorded");

/**
 * The names of all recorded exchanges. Nothing is parsed yet: a file that cannot be fails the test
 * of its name.
 */
export const RECORDED_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".txt"))
  .map((file) => file.replace(/\.txt$/, ""))
  .sort();

export function readRecorded(name: string): RecordedExchange {
  return parseRecorded(name, readFileSync(join(FOLDER, `${name}.txt`), "utf8"));
}

/** @throws an error that names the file, and the part that cannot be read */
export function parseRecorded(name: string, text: string): RecordedExchange {
  const refuse = (problem: string): never => {
    throw new Error(`recorded/${name}.txt: ${problem}`);
  };
  const [, comment, asked, answered, body] =
    /^# (.*)\n((?:>.*\n)+)\n((?:< .*\n)+<\n)([\s\S]*)\n# \d+ ms\n$/.exec(text) ??
    refuse("is not a comment, a request (>), an answer (<), its body and a time");
  if (comment?.split(" ")[0] !== name) refuse("the comment does not begin with the file's name");
  const request = toLines(asked ?? "", ">");
  const answer = toLines(answered ?? "", "<");
  const [, method = "", target = ""] =
    /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(request[0] ?? "") ??
    refuse("the request line cannot be read");
  const [, status, reason = ""] =
    /^HTTP\/1\.1 (\d{3}) (.+)$/.exec(answer[0] ?? "") ?? refuse("the status line cannot be read");
  const emptyLine = request.indexOf("");
  const head = emptyLine < 0 ? request : request.slice(0, emptyLine);
  const toHeaders = (lines: readonly string[]): Headers =>
    lines.map((line) => {
      const [, header = "", value = ""] =
        /^([\w-]+): (.*)$/.exec(line) ?? refuse(`${JSON.stringify(line)} is not a header`);
      return [header, value];
    });
  const headers = toHeaders(answer.slice(1, -1));
  const length = headers.find(([header]) => header === "Content-Length")?.[1];
  if (
    method !== "HEAD" &&
    length !== undefined &&
    Number(length) !== Buffer.byteLength(body ?? "")
  ) {
    refuse(
      `the body has ${Buffer.byteLength(body ?? "")} bytes, and Content-Length says ${length}`,
    );
  }
  return {
    name,
    request: {
      method,
      target,
      headers: toHeaders(head.slice(1)),
      body: emptyLine < 0 ? "" : request.slice(emptyLine + 1).join("\n"),
    },
    answer: { status: Number(status), reason, headers, body: body ?? "" },
  };
}

function toLines(text: string, mark: string): string[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.slice(mark.length).replace(/^ /, ""));
}
