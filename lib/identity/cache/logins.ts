import type { Credential, Scope } from "../credential";
import type { Described, Evidence } from "../interpret/rejected/rejected";
import { RecentMap } from "./recent-map";

type Who = Described | Credential;

interface Login {
  readonly service: string;
  readonly accountId: string | undefined;
  /** Only of a password. */
  readonly userName: string | undefined;
  /** When it last got a token of that scope. */
  account?: number;
  project?: number;
  /** A scope that was accepted before was refused. */
  lost?: boolean;
}

/**
 * What the tokens of this process prove about the parts of a credential, for the explanation of a
 * refusal. Its keys are those of loginKey: it contains no secret.
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

  accept(key: string, who: Who, scope: Scope): void {
    const login = this.#known.get(key) ?? {
      service: who.authUrl.v3,
      accountId: who.accountId,
      userName: userNameOf(who),
    };
    login[scope.kind] = this.now();
    login.lost = false;
    this.#known.set(key, login);
  }

  /** A scope that was accepted before is refused. */
  lose(key: string): void {
    const login = this.#known.get(key);
    if (login !== undefined) login.lost = true;
  }

  about(key: string, who: Who): Evidence {
    const ago = (at: number | undefined) =>
      at === undefined ? undefined : Math.max(0, this.now() - at);
    const own = this.#known.get(key);
    const ofAccount = this.#known
      .values()
      .filter((login) => login.service === who.authUrl.v3 && login.accountId === who.accountId);
    return {
      accountTokenMs: ago(own?.account),
      projectTokenMs: ago(own?.project),
      lost: own?.lost === true,
      otherPassword: ofAccount.some(
        (login) => login.userName !== undefined && login.userName === userNameOf(who),
      ),
      accountKnown: ofAccount.length > 0,
    };
  }

  clear(): void {
    this.#known.clear();
  }
}

const userNameOf = (who: Who) => (who.way === "password" ? who.userName : undefined);
