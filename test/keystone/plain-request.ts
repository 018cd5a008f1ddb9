import * as http from "node:http";
import * as https from "node:https";

/** An answer of a service. */
export interface PlainAnswer {
  readonly status: number;
  /** The text behind the status. */
  readonly reason: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** In order, names as they were written. */
  readonly headerLines: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A request. */
export interface PlainRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** In two chunks, without a length. */
  readonly chunked?: boolean | undefined;
  readonly ca?: string | undefined;
}

/** A request with nothing in between: no retries, no redirects, the bytes as given. */
export function request(url: string, wanted: PlainRequest = {}): Promise<PlainAnswer> {
  const { method = "GET", headers = {}, body = "", chunked = false, ca } = wanted;
  const bytes = Buffer.from(body);
  const { Agent, request: send } = url.startsWith("https:") ? https : http;
  // One that would keep the connection, as clients usually do; it is ended behind the answer.
  const agent = new Agent({ keepAlive: true });
  const sizes =
    !chunked && (bytes.length > 0 || method === "POST")
      ? { "Content-Length": String(bytes.length) }
      : {};
  return new Promise<PlainAnswer>((resolve, reject) => {
    const options = {
      method,
      headers: { ...sizes, ...headers },
      agent,
      ...(ca === undefined ? {} : { ca }),
    };
    const asked = send(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () => {
        resolve({
          status: answer.statusCode ?? 0,
          reason: answer.statusMessage ?? "",
          headers: answer.headers,
          headerLines: toLines(answer.rawHeaders),
          body: Buffer.concat(chunks).toString("utf8"),
        });
      });
      answer.once("error", reject);
    });
    // A server may refuse a large body before it has come in whole.
    asked.on("error", reject);
    if (chunked) asked.write(bytes.subarray(0, 100));
    asked.end(chunked ? bytes.subarray(100) : bytes);
  }).finally(() => agent.destroy());
}

function toLines(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[index * 2] ?? "",
    raw[index * 2 + 1] ?? "",
  ]);
}
