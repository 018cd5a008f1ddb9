import type { LookupFunction } from "node:net";
import type { TlsOptions } from "node:tls";
import { IdentityClient, type IdentityClientOptions } from "../../../lib/identity";
import type { LoopbackServer } from "../../support/loopback-server";
import { answerText, RawServer, type Respond } from "./raw-server";
import { type PasswordRequest, requestAt, TOKEN_CANARY } from "./wanted";

export const TOKEN = `X-Subject-Token: ${TOKEN_CANARY}`;
export const ISSUED = answerText("201 Created", [TOKEN]);

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** It is closed after the test. */
export function closing<Opened extends { close(): Promise<void> }>(each: Opened): Opened {
  opened.push(each);
  return each;
}

/** A client whose waits between tries take no time. */
export const clientWith = (options: IdentityClientOptions = {}) =>
  closing(new IdentityClient({ random: () => 0.5, sleep: async () => {}, ...options }));

/** A server that answers with this, by default with a token; by TLS with `secure`. */
export const serverWith = async (respond: Respond = ISSUED, secure?: TlsOptions) =>
  closing(await RawServer.start(respond, secure));

/** A request to a server at this machine's address. */
export const at = ({ port }: LoopbackServer, over: Partial<PasswordRequest> = {}) =>
  requestAt(`${over.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`, over);

/** Every name is this machine: nothing leaves it. */
export const LOOPBACK: LookupFunction = (_host, _options, done) =>
  done(null, [{ address: "127.0.0.1", family: 4 }]);
