import * as http from "node:http";
import * as https from "node:https";
import type { Secret } from "../../lib/tokens";
import type { IdentityUnderTest } from "./identity-under-test";

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

type Service = Pick<IdentityUnderTest, "authUrl" | "ca">;
const tokensOf = ({ authUrl, ca }: Service, options: Parameters<typeof request>[1]) =>
  request(`${authUrl}/identity/v3/auth/tokens`, { ...options, ca });

/** What a service itself answers to a request for a token. */
export const signIn = (service: Service, auth: object): Promise<PlainAnswer> =>
  tokensOf(service, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ auth }),
  });

/** The status of a request about a token, by the token itself. */
export async function statusOf(service: Service, token: string, method: string): Promise<number> {
  const headers = { "X-Auth-Token": token, "X-Subject-Token": token };
  return (await tokensOf(service, { method, headers })).status;
}

/** Whether a service itself accepts a token. */
export const accepts = async (service: Service, token: Secret): Promise<boolean> =>
  (await statusOf(service, token.reveal(), "GET")) === 200;
