import { IdentityClient } from "../../../lib/identity";
import type { ErrorCode } from "../../../lib/tokens";
import { playRow } from "../../identity/faults/play-row";
import { FAULT_ROWS } from "../../identity/faults/rows";
import { requestAt } from "../../identity/support/wanted";
import type { Producers } from "./producer";

const BY_A_FAULT = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_REQUEST_REFUSED",
  "ERR_ENDPOINT_NOT_FOUND",
  "ERR_REDIRECTED",
  "ERR_RATE_LIMITED",
  "ERR_SERVICE_FAILED",
  "ERR_ANSWER_UNEXPECTED",
  "ERR_TOKEN_HEADER_MISSING",
  "ERR_TOKEN_HEADER_DUPLICATED",
  "ERR_TOKEN_HEADER_EMPTY",
  "ERR_TOKEN_HEADER_TOO_LARGE",
  "ERR_TOKEN_HEADER_UNPRINTABLE",
  "ERR_TOKEN_HEADER_ECHOED",
  "ERR_ANSWER_TOO_LARGE",
  "ERR_ANSWER_TOO_SLOW",
  "ERR_NO_ANSWER",
  "ERR_CONNECTION_FAILED",
  "ERR_PROXY_REFUSED",
  "ERR_TLS_FAILED",
  "ERR_SCOPE_MISMATCH",
  "ERR_TOKEN_EXPIRED",
  "ERR_LIFETIME_TOO_SHORT",
] as const satisfies readonly ErrorCode[];

/** The outcome of the first row of the fault table with this code. */
async function byFault(code: ErrorCode): Promise<unknown> {
  const row = FAULT_ROWS.find(({ ends }) => ends === code);
  return row === undefined ? undefined : (await playRow(row, false)).outcome;
}

async function obtain(env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
  const client = new IdentityClient({ env, sleep: async () => {} });
  try {
    await client.obtain(requestAt("https://keystone.example.test"), signal);
  } finally {
    await client.close();
  }
}

/** The codes of asking an identity service. */
export const BY_THE_SERVICE: Producers = {
  ...Object.fromEntries(BY_A_FAULT.map((code) => [code, () => byFault(code)])),
  ERR_PROXY_INVALID: () =>
    obtain({ HTTPS_PROXY: "socks5://proxy.example.test" }, new AbortController().signal),
  ERR_CANCELLED: () => obtain({}, AbortSignal.abort()),
};
