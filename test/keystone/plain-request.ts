import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** What a service answered. */
export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with nothing in between: no retries, no redirects, the bytes as given. */
export function request(
  url: string,
  {
    method = "GET",
    headers = {},
    body = "",
    ca,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
    readonly ca?: string | undefined;
  } = {},
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    const sizes = body.length > 0 || method === "POST" ? { "Content-Length": String(Buffer.byteLength(body)) } : {};
    const options = { method, headers: { ...sizes, ...headers }, agent: false, ...(ca === undefined ? {} : { ca }) };
    send(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString("utf8") });
      });
      answer.once("error", reject);
    })
      .once("error", reject)
      .end(body);
  });
}
