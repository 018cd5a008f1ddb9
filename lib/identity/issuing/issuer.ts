import { defined, type IamTokensError } from "../../tokens";
import { loginKey } from "../cache/credential-key";
import type { IssueRequest, Proof } from "../credential";
import { cancelledError } from "../interpret/fault";
import { interpretIssue, issueWantsBody, isUnscopedGone } from "../interpret/issue-answer";
import { isRejection, type Rejected, toRejected } from "../interpret/rejected/rejected";
import { rejectedError } from "../interpret/rejected/rejected-error";
import type { TimedToken } from "../issued-token";
import { issueRequest } from "../requests";
import type { ExchangeTools } from "../retry/exchange";
import type { UsageJournal } from "../usage-journal";
import type { CredentialMemory } from "./memory";
import type { Sender } from "./sender";
import type { SignIns } from "./sign-ins";

/**
 * How long a refusal waits for the answers to other requests of the same user: whether these got a
 * token decides what it says.
 */
const OTHERS_MS = 500;

interface IssuerParts {
  readonly sender: Sender;
  readonly signIns: SignIns;
  readonly memory: CredentialMemory;
  readonly tools: Pick<ExchangeTools, "limits" | "sleep">;
  readonly journal: UsageJournal | undefined;
}

/** Gets a new token for a credential and a scope, and remembers refusals. */
export class Issuer {
  constructor(private readonly parts: IssuerParts) {}

  /**
   * @param key that of the request: see credentialKey
   * @param own whether the token is one caller's alone: no other token depends on its sign-in
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones), ERR_CANCELLED and the codes of the
   * answer
   */
  async issue(
    request: IssueRequest,
    key: string,
    own: boolean,
    signal: AbortSignal,
  ): Promise<TimedToken> {
    const { memory, signIns } = this.parts;
    const { credential } = request;
    const recheck = () => {
      if (signal.aborted) throw cancelledError();
      memory.rejections.assertNone(key);
    };
    return memory.firstTries.run(key, signal, recheck, () =>
      credential.way === "identity token"
        ? signIns.use({ ...request, credential }, own, signal, (proof, isLast) =>
            this.#issueBy(proof, request, key, isLast, signal),
          )
        : this.#issueBy(credential, request, key, true, signal),
    );
  }

  #issueBy(
    proof: Proof,
    request: IssueRequest,
    key: string,
    isLast: true,
    signal: AbortSignal,
  ): Promise<TimedToken>;
  #issueBy(
    proof: Proof,
    request: IssueRequest,
    key: string,
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<TimedToken | undefined>;
  /** Undefined if the service does not know the unscoped token, unless it is the last try. */
  async #issueBy(
    proof: Proof,
    request: IssueRequest,
    key: string,
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<TimedToken | undefined> {
    const { sender, journal, tools, memory } = this.parts;
    const { scope, tls, retryForMs } = request;
    const login = loginKey(request.credential, memory.processKey);
    const wantsBody = issueWantsBody(proof);
    const wanted = { request: issueRequest(proof, scope), wantsBody, retryForMs };
    const answered = sender.send({ ...wanted, ...defined({ tls }) }, signal);
    memory.logins.asks(login, answered);
    const { outcome, attempts, tries, tookMs } = await answered;
    journal?.noteRequest(key, request, tries, tookMs);
    if (!isLast && isUnscopedGone(outcome, proof)) return undefined;
    const context = { credential: proof, scope, limits: tools.limits, attempts };
    if (outcome.kind === "answer" && isRejection(outcome, proof))
      throw await this.#rejected(key, login, toRejected(outcome, context), signal);
    const timed = interpretIssue(outcome, context);
    journal?.noteIssued(key, request, timed);
    memory.firstTries.accept(key);
    memory.logins.accept(login, proof, scope);
    return timed;
  }

  /** The error of a refusal, which explains it by what other answers prove. */
  async #rejected(
    key: string,
    login: string,
    rejected: Rejected,
    signal: AbortSignal,
  ): Promise<IamTokensError> {
    const { firstTries, logins, rejections } = this.parts.memory;
    if (firstTries.reject(key)) logins.lose(login);
    const explain = () => rejectedError(rejected, logins.about(login, rejected.credential));
    rejections.note(key, explain);
    const others = logins.asking(login);
    if (others.length > 0) {
      const over = new AbortController();
      const late = this.parts.tools.sleep(OTHERS_MS, AbortSignal.any([signal, over.signal]));
      await Promise.race([Promise.allSettled(others), late]);
      over.abort();
    }
    return explain();
  }
}
