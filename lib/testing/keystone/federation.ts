import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { OidcTokenOptions } from "../config/identity-config";
import type { IdentityProviderSettings, IdentitySettings } from "../config/settings";
import { idOf, type TokenOwner } from "./directory";

/** Where a job of GitHub Actions would ask for its identity token. */
export const GITHUB_ACTIONS = "/github-actions/id-token";

/** Identity providers, the identity tokens that they give, and the users that these become. */
export class Federation {
  /** Every identity token, oldest first. */
  readonly issued: string[] = [];
  readonly providers: readonly IdentityProviderSettings[];
  readonly #account: string;
  readonly #now: () => number;
  /** By the bearer of its variables. */
  readonly #jobs = new Map<string, OidcTokenOptions>();
  #pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined;

  constructor({ identityProviders, accountId }: IdentitySettings, now: () => number) {
    this.providers = identityProviders;
    this.#account = accountId;
    this.#now = now;
  }

  /** By its id; without one, the first. */
  provider(id = this.providers[0]?.id): IdentityProviderSettings | undefined {
    return this.providers.find((provider) => provider.id === id);
  }

  addJob(bearer: string, options: OidcTokenOptions): void {
    this.#jobs.set(bearer, options);
  }

  job(bearer: string): OidcTokenOptions | undefined {
    return this.#jobs.get(bearer);
  }

  /** An identity token of a provider that exists. */
  issue({ identityProvider, expiresIn = 300, claims, ...given }: OidcTokenOptions): string {
    const { issuer: iss, audience: aud } = this.provider(identityProvider) ?? {};
    const iat = Math.floor(this.#now() / 1000);
    const all = { iss, sub: "job", aud, ...given, iat, exp: iat + expiresIn, ...claims };
    const token = signJwt(all, this.#keys.privateKey, "throw-away");
    this.issued.push(token);
    return token;
  }

  /** The claims of a token with a signature of this service and an end that is not past. */
  check(token: string): Readonly<Record<string, unknown>> | undefined {
    const [head = "", body = "", signature = "", ...more] = token.split(".");
    const signed = Buffer.from(`${head}.${body}`);
    const bytes = Buffer.from(signature, "base64url");
    if (more.length > 0 || !verify("sha256", signed, this.#keys.publicKey, bytes)) return undefined;
    const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
    return claims.exp < Math.floor(this.#now() / 1000) ? undefined : claims;
  }

  /** The same for each token of a subject. */
  user({ id, permission }: IdentityProviderSettings, name: string): TokenOwner {
    const domain = idOf("identity provider", id);
    const owner = { name, account: this.#account, domain, permission };
    return { ...owner, id: idOf("federated user", id, name), acceptsTokenOf: () => true };
  }

  /** Made when it is needed: that takes a tenth of a second. */
  get #keys() {
    this.#pair ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
    return this.#pair;
  }
}

/** A signed JSON Web Token. */
export function signJwt(claims: object, key: KeyObject | string, keyId: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT", kid: keyId })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}
