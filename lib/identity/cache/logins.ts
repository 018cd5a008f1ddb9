import type { PasswordCredential, Scope } from "../credential";
import type { Evidence } from "../interpret/refusal";
import { RecentMap } from "./recent-map";

type Who = Omit<PasswordCredential, "password">;

interface Login extends Pick<Who, "accountId" | "userName"> {
  readonly service: string;
  /** When it last got a token of that scope. */
  account?: number;
  project?: number;
  /** A scope that was accepted before was refused. */
  lost?: boolean;
}

/**
 * What the tokens of this process prove about a user's name, password and account number, for the
 * explanation of a 401. Its keys are those of loginKey: it contains no password.
 */
export class Logins {
  readonly #known: RecentMap<Login>;
  /** Requests without an answer. */
  readonly #asking = new Map<string, Set<Promise<unknown>>>();

  constructor(
    limit: number,
    private readonly now: () => number,
  ) {
    this.#known = new RecentMap(limit);
  }

  /** Remembers that a request is being answered, until `answered` settles. */
  asks(key: string, answered: Promise<unknown>): void {
    const asking = this.#asking.get(key) ?? new Set();
    this.#asking.set(key, asking.add(answered));
    const end = () => {
      asking.delete(answered);
      if (asking.size === 0 && this.#asking.get(key) === asking) this.#asking.delete(key);
    };
    answered.then(end, end);
  }

  /** The requests that may soon prove more. */
  asking(key: string): readonly Promise<unknown>[] {
    return [...(this.#asking.get(key) ?? [])];
  }

  accept(key: string, { authUrl, accountId, userName }: Who, scope: Scope): void {
    const login = this.#known.get(key) ?? { service: authUrl.v3, accountId, userName };
    login[scope.kind] = this.now();
    login.lost = false;
    this.#known.set(key, login);
  }

  /** A scope that was accepted before is refused. */
  lose(key: string): void {
    const login = this.#known.get(key);
    if (login !== undefined) login.lost = true;
  }

  about(key: string, { authUrl, accountId, userName }: Who): Evidence {
    const ago = (at: number | undefined) =>
      at === undefined ? undefined : Math.max(0, this.now() - at);
    const own = this.#known.get(key);
    const ofAccount = this.#known
      .values()
      .filter((login) => login.service === authUrl.v3 && login.accountId === accountId);
    return {
      accountTokenMs: ago(own?.account),
      projectTokenMs: ago(own?.project),
      lost: own?.lost === true,
      otherPassword: ofAccount.some((login) => login.userName === userName),
      accountKnown: ofAccount.length > 0,
    };
  }

  clear(): void {
    this.#known.clear();
  }
}
