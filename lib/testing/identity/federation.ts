import type { IdentityProviderSettings } from "../config/settings";
import { idOf, type Provider } from "./directory";
import type { TokenOwner } from "./embedded-user";
import { OidcIssuer, type OidcTokenOptions } from "./oidc-issuer";

/** A job of GitHub Actions, which gets identity tokens for audiences of its choice. */
export interface GithubActionsJob {
  readonly bearer: string;
  readonly provider: IdentityProviderSettings;
  readonly options: OidcTokenOptions;
}

/** The identity providers, the issuer of their identity tokens, and the users that these become. */
export class Federation {
  readonly issuer: OidcIssuer;
  /** Those of GitHub Actions, which get identity tokens. */
  readonly jobs: GithubActionsJob[] = [];
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #users = new Map<string, TokenOwner>();

  constructor(providers: readonly Provider[], now: () => number) {
    this.issuer = new OidcIssuer(now);
    this.#providers = new Map(providers.map((provider) => [provider.settings.id, provider]));
  }

  /** By its id; the first one, if there is none. */
  provider(id?: string): IdentityProviderSettings | undefined {
    const found =
      id === undefined ? this.#providers.values().next().value : this.#providers.get(id);
    return found?.settings;
  }

  hasProtocol(protocol: string): boolean {
    return [...this.#providers.values()].some(({ settings }) => settings.protocol === protocol);
  }

  /** The same for each token of a subject. */
  user({ id, protocol, permission }: IdentityProviderSettings, name: string): TokenOwner {
    const key = JSON.stringify([id, name]);
    const known = this.#users.get(key);
    if (known !== undefined) return known;
    const domainId = idOf("identity provider", id);
    const made: TokenOwner = {
      id: idOf("federated user", id, name) + idOf("federated user", name, id),
      name,
      account: (this.#providers.get(id) as Provider).account,
      passwordExpiresAt: undefined,
      acceptsTokenOf: () => true,
      settings: { permission, mayValidate: false, isServiceUser: true },
      federation: {
        domain: { id: domainId, name: domainId },
        group: idOf("group", id),
        id,
        protocol,
      },
    };
    this.#users.set(key, made);
    return made;
  }
}
