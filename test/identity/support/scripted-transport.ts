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
import { httpDate, NOW, PASSWORD_CANARY } from "./wanted";

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

/** A promise with its ends in hand. */
export function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
