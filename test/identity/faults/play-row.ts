import type { LookupFunction } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  IdentityClient,
  type IdentityClientOptions,
  type IssuedToken,
  limitsOf,
} from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import {
  EmbeddedIdentityService,
  type Intercept,
  type TokenDescription,
} from "../../../lib/testing";
import { IamTokensError } from "../../../lib/tokens";
import { AUTHORITY } from "../support/certificates";
import { ConnectProxy } from "../support/connect-proxy";
import { TlsFront } from "../support/tls-front";
import { idle, NOW, PASSWORD_CANARY, requestAt } from "../support/wanted";
import type { FaultRow } from "./fault-row";

/** Outcome of a row. */
export interface Played {
  readonly outcome: IssuedToken | IamTokensError;
  /** By the client's own log. */
  readonly tries: number;
  /** The limit of a request, where the row has one: a busy machine gets a larger one. */
  readonly requestMs: number | undefined;
  /** The time for all tries. */
  readonly totalMs: number;
  /** Requests that the service got. */
  readonly requests: number;
  readonly waits: readonly number[];
  /** Real time, which counts what the waits do not. */
  readonly tookMs: number;
  /** Everything that the client logged. */
  readonly lines: readonly unknown[];
  /** Secrets that no message and no line may contain. */
  readonly secrets: readonly string[];
  /** The service's record of the issued token. */
  readonly token: TokenDescription | undefined;
  /**
   * Whether the next reference in the process, a minute later, and a new process made the service
   * be asked.
   */
  readonly asked:
    | { readonly atOnce: boolean; readonly aMinuteLater: boolean; readonly nextPlan: boolean }
    | undefined;
}

const HOST = "keystone.example.test";
const lookup: LookupFunction = (_name, options, callback) => {
  if (options.all) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};

/**
 * Plays a row against the embedded service, over real sockets; waits between tries take no time.
 *
 * A small limit is one of real time, and the service answers in this process: where a busy machine
 * kept the process waiting for a third of it, the row is played again with a larger one.
 */
export async function playRow(row: FaultRow): Promise<Played> {
  const { requestMs } = row.limits ?? {};
  if (requestMs === undefined) return playOnce(row);
  for (let limit = requestMs; ; limit *= 4) {
    const delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    const limits = { ...row.limits, requestMs: limit, totalMs: 16 * limit };
    const played = await playOnce({ ...row, limits });
    delays.disable();
    if (delays.max / 1e6 < limit / 3 || limit > LARGEST_LIMIT_MS) return played;
  }
}

/** What the next larger one would take is more than a test has. */
const LARGEST_LIMIT_MS = 2_000;

async function playOnce(row: FaultRow): Promise<Played> {
  let slept = 0;
  const began = performance.now();
  // Waits pass by the injected clock, everything else by the real one.
  const now = () => NOW + slept + (performance.now() - began);
  // A fault of a handshake is one in front of the service.
  const inFront = row.script.map((fault) =>
    fault !== null && "tls" in fault ? fault.tls : undefined,
  );
  const faults = row.script.filter(
    (fault) => fault === null || !("tls" in fault),
  ) as (Intercept | null)[];
  let requests = 0;
  const service = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers: [
        {
          name: "deployer",
          password: PASSWORD_CANARY,
          permission: { account: true, projects: [] },
        },
      ],
      ...(row.https ? { tls: "throw-away" as const } : {}),
    },
    {
      now,
      intercept: (request, serve) => {
        requests = request.number;
        return (faults[requests - 1] ?? ((_request, asUsual) => asUsual()))(request, serve);
      },
    },
  );
  const front = inFront.some((fault) => fault !== undefined)
    ? await TlsFront.start(service.port, inFront)
    : undefined;
  const proxy =
    row.proxy === undefined ? undefined : await ConnectProxy.start(service.port, row.proxy);
  const waits: number[] = [];
  const lines: unknown[] = [];
  const limits = limitsOf(row.limits);
  const env = proxy === undefined ? {} : { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const options: IdentityClientOptions = {
    limits,
    now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      slept += milliseconds;
    },
    log: (...line) => void lines.push(line),
    ...(proxy === undefined ? {} : { transport: new HttpTransport({ limits, env, now, lookup }) }),
  };
  const address =
    proxy === undefined
      ? service.authUrl.replace(/\d+$/, String((front ?? service).port))
      : `https://${HOST}:${service.port}`;
  const request = {
    ...requestAt(address),
    ...(service.ca === undefined ? {} : { tls: { ca: `${service.ca}${AUTHORITY.ca}` } }),
  };
  const client = new IdentityClient(options);
  const next = new IdentityClient({ ...options, limits: {} });
  try {
    const started = performance.now();
    const outcome = await settled(client.obtain(request, idle()));
    const tookMs = performance.now() - started;
    // The service is well afterwards, however few tries the time allowed.
    faults.length = 0;
    inFront.length = 0;
    const played = {
      outcome,
      tries: lines.length,
      requestMs: row.limits?.requestMs,
      totalMs: limits.totalMs,
      requests,
      waits: [...waits],
      tookMs,
      token: IamTokensError.is(outcome) ? undefined : service.describeToken(outcome.token.reveal()),
    };
    const asks = async (by: IdentityClient) => {
      const before = requests;
      await settled(by.obtain(request, idle()));
      return requests > before;
    };
    const later = async () => {
      slept += 60_000;
      return { aMinuteLater: await asks(client), nextPlan: await asks(next) };
    };
    const asked =
      row.proxy === undefined ? { atOnce: await asks(client), ...(await later()) } : undefined;
    return {
      ...played,
      lines,
      secrets: [PASSWORD_CANARY, ...service.issuedTokens(), "unasked-token"],
      asked,
    };
  } finally {
    await client.close();
    await next.close();
    await proxy?.close();
    await front?.close();
    await service.stop();
  }
}

async function settled(work: Promise<IssuedToken>): Promise<IssuedToken | IamTokensError> {
  try {
    return await work;
  } catch (error) {
    if (IamTokensError.is(error)) return error;
    throw error;
  }
}
