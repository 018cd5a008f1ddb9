import { cancelledError } from "../../tokens";
import { untilAborted } from "../waiting/until-aborted";

interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

interface Question<Value> {
  readonly answer: Promise<Value>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Values by key, each kept as long as its reader's own rule says; above a limit, the least recently
 * used is dropped first. There is one question at a time for a key: callers during it share it. It
 * is aborted only when nobody waits for it any more; a waiter's abort ends only that waiter's wait.
 */
export class Cache<Value> {
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #questions = new Map<string, Question<Value>>();

  /** @param clock milliseconds of a clock that nobody sets */
  constructor(
    private readonly limit: number,
    private readonly clock: () => number,
  ) {}

  /** The value that is kept, and its age in milliseconds. */
  find(key: string): { readonly value: Value; readonly ageMs: number } | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    // A map keeps the order of insertion: inserted again, an entry is the newest.
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return { value: kept.value, ageMs: this.clock() - kept.at };
  }

  /** Keeps a value, whose age begins now. */
  keep(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, at: this.clock() });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.limit && oldest !== undefined) this.#kept.delete(oldest);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#kept) if (isGone(value)) this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }

  /**
   * The kept value if that is good, otherwise the answer to a question, which is kept.
   *
   * @throws ERR_CANCELLED when `signal` is aborted, or whatever `ask` throws
   */
  async get(
    key: string,
    isGood: (value: Value, ageMs: number) => boolean,
    ask: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const kept = this.find(key);
    if (kept !== undefined && isGood(kept.value, kept.ageMs)) return kept.value;
    if (signal.aborted) throw cancelledError();
    const question = this.#questions.get(key) ?? this.#begin(key, ask);
    question.waiters += 1;
    try {
      return await untilAborted(question.answer, signal);
    } finally {
      question.waiters -= 1;
      // Not one that was answered.
      if (question.waiters === 0 && this.#end(key, question)) question.controller.abort();
    }
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<Value>): Question<Value> {
    const controller = new AbortController();
    const answer = ask(controller.signal)
      .then((value) => {
        // Once for all who wait.
        this.keep(key, value);
        return value;
      })
      .finally(() => this.#end(key, question));
    // One that was abandoned has no caller for its error.
    answer.catch(() => {});
    const question: Question<Value> = { answer, controller, waiters: 0 };
    this.#questions.set(key, question);
    return question;
  }

  /** Whether it was in progress. A new caller must not join one that is being aborted. */
  #end(key: string, question: Question<Value>): boolean {
    return this.#questions.get(key) === question && this.#questions.delete(key);
  }
}
