import { IdentityClient, type IdentityClientOptions } from "../../../lib/identity";
import type { Outcome, WireRequest } from "../../../lib/identity/transport/transport";
import { answer, ScriptedTransport, type Step } from "./scripted-transport";
import { HOUR, httpDate, NOW } from "./wanted";

/** A client with a script for its answers, and a clock in hand, which its waits move. */
export function scripted(steps: readonly Step[], over: IdentityClientOptions = {}) {
  const clock = { now: NOW };
  const transport = new ScriptedTransport(...steps);
  const client = new IdentityClient({
    transport,
    now: () => clock.now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      clock.now += milliseconds;
    },
    ...over,
  });
  return { client, clock, transport };
}

interface Issuing extends IdentityClientOptions {
  readonly lifetimeMs?: number;
  /** Instead of a token. */
  readonly instead?: (request: WireRequest) => Outcome | undefined;
}

/** The same with new tokens: "t1", "t2" … One that was requested by another ends with it. */
export function issuing({ lifetimeMs = 24 * HOUR, instead, ...over }: Issuing = {}) {
  const ends: number[] = [];
  const issue = (request: WireRequest) => {
    const { now } = made.clock;
    const end = ends[Number(proofOf(request)?.slice(1)) - 1] ?? now + lifetimeMs;
    const at = (time: number) => new Date(time).toISOString();
    const headers = { "X-Subject-Token": `t${ends.push(end)}`, Date: httpDate(now) };
    const token = { issued_at: at(now), expires_at: at(end) };
    return answer(201, headers, { token }, { receivedAt: now });
  };
  const made = scripted([(request) => instead?.(request) ?? issue(request)], over);
  return { ...made, asked: () => made.transport.sent.map(({ request }) => wordsOf(request)) };
}

const authOf = ({ body = "{}" }: WireRequest) => JSON.parse(body).auth;
/** The unscoped token by which another is requested. */
const proofOf = (request: WireRequest): string | undefined => authOf(request)?.identity.token?.id;

/** `sign in`, `account by t1`, `web by t1` or `revoke t1`. */
export function wordsOf(request: WireRequest): string {
  if (request.method === "DELETE") return `revoke ${request.headers["x-subject-token"]}`;
  const { scope } = authOf(request) ?? {};
  return scope === undefined
    ? "sign in"
    : `${scope.project?.name ?? "account"} by ${proofOf(request)}`;
}
