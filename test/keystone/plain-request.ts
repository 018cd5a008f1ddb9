import * as http from "node:http";
import * as https from "node:https";
import type { Secret } from "../../lib/tokens";

/** An answer of a service. */
export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A request, as it is given: no retries, no redirects. */
export function request(
  url: string,
  { body = "", ...options }: https.RequestOptions & { readonly body?: string } = {},
): Promise<PlainAnswer> {
  const { request: send } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const asked = send(url, { ...options, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

/** Whether a service itself accepts a token. */
export async function accepts(
  { authUrl, ca }: { readonly authUrl: string; readonly ca: string | undefined },
  token: Secret,
): Promise<boolean> {
  const headers = { "X-Auth-Token": token.reveal(), "X-Subject-Token": token.reveal() };
  const { status } = await request(`${authUrl}/identity/v3/auth/tokens`, { headers, ca });
  return status === 200;
}
