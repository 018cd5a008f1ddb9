import { IdentityClient, type IdentityClientOptions } from "../../../lib/identity";
import type { Exchanged } from "../../../lib/identity/interpret/exchanged";
import { limitsOf } from "../../../lib/identity/limits";
import type {
  Answer,
  Fault,
  FaultKind,
  Outcome,
  SendOptions,
  Transport,
  WireRequest,
} from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { HOUR, httpDate, NOW, PASSWORD_CANARY } from "./wanted";

/** An outcome, or what makes one. */
export type Step = Outcome | ((request: WireRequest) => Outcome | Promise<Outcome>);

/** Answers requests from a script; the last step serves all that follow. */
export class ScriptedTransport implements Transport {
  readonly sent: { readonly request: WireRequest; readonly options: SendOptions }[] = [];
  readonly #steps: Step[];

  constructor(...steps: Step[]) {
    this.#steps = steps;
  }

  async send(request: WireRequest, options: SendOptions): Promise<Outcome> {
    this.sent.push({ request, options });
    const step = this.#steps[Math.min(this.sent.length, this.#steps.length) - 1];
    if (step === undefined) throw new Error("the script is empty");
    // As the real one: an abort ends the wait, whatever the other side does.
    const { signal } = options;
    let cancel = () => {};
    const aborted = new Promise<Outcome>((resolve) => {
      cancel = () => resolve({ kind: "fault", fault: "cancelled" });
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
    });
    const answered = Promise.resolve(typeof step === "function" ? step(request) : step);
    const outcome = await Promise.race([aborted, answered]);
    signal.removeEventListener("abort", cancel);
    const isUnread = outcome.kind === "answer" && !request.bodyOf?.includes(outcome.status);
    return isUnread ? { ...outcome, body: Buffer.alloc(0), end: "unread" } : outcome;
  }

  /** Ends when so many requests were sent. */
  async hasSent(count: number): Promise<void> {
    while (this.sent.length < count) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** An answer as the transport hands it on. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  body: unknown = undefined,
  over: Partial<Answer> = {},
): Answer {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((one): [string, string] => [name, one]),
  );
  const bytes = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return {
    kind: "answer",
    status,
    headers: pairs,
    body: Buffer.from(bytes),
    end: "complete",
    receivedAt: NOW,
    ...over,
  };
}

/** A token of 24 hours, with no body. */
export function issued(token = "gAAAA-fake", over: Partial<Answer> = {}): Answer {
  return answer(
    201,
    { "X-Subject-Token": token, Date: httpDate(over.receivedAt ?? NOW) },
    undefined,
    over,
  );
}

export const fault = (kind: FaultKind, over: Partial<Fault> = {}): Fault => ({
  kind: "fault",
  fault: kind,
  ...over,
});

/** What came of one request with the password, for those who interpret it. */
export const exchanged = (outcome: Outcome, over: Partial<Exchanged> = {}): Exchanged => ({
  outcome,
  url: "https://k.example/identity/v3/auth/tokens",
  secret: Secret.of(PASSWORD_CANARY),
  limits: limitsOf(),
  triesInWords: "",
  ...over,
});

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
  readonly instead?: (request: WireRequest) => Outcome | Promise<Outcome> | undefined;
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
