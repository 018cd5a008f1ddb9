import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { OidcTokenOptions } from "../config/identity-config";
import type { IdentityProviderSettings, IdentitySettings } from "../config/settings";
import { idOf, type TokenOwner } from "./directory";

let pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined;
/** Of all services of a process, made when they are needed: that takes a tenth of a second. */
const keys = () => (pair ??= generateKeyPairSync("rsa", { modulusLength: 2048 }));

export type Federation = ReturnType<typeof createFederation>;

/** Identity providers, the identity tokens that they give, and the users that these become. */
export function createFederation(
  { identityProviders: providers, accountId: account }: IdentitySettings,
  now: () => number,
) {
  /** Every identity token, oldest first. */
  const issued: string[] = [];
  /** By the bearer of its variables. */
  const jobs = new Map<string, OidcTokenOptions>();
  const seconds = () => Math.floor(now() / 1000);
  /** By its id; without one, the first. */
  const provider = (id = providers[0]?.id) => providers.find((each) => each.id === id);

  return {
    issued,
    providers,
    provider,
    jobs,

    /** An identity token of a provider that exists. */
    issue({ identityProvider, expiresIn = 300, claims, ...given }: OidcTokenOptions): string {
      const { issuer: iss, audience: aud } = provider(identityProvider) ?? {};
      const iat = seconds();
      const all = { iss, sub: "job", aud, ...given, iat, exp: iat + expiresIn, ...claims };
      const token = signJwt(all, keys().privateKey, "throw-away");
      issued.push(token);
      return token;
    },

    /** The claims of a token with a signature of `keys`, and an end that is not past. */
    check(token: string): Readonly<Record<string, unknown>> | undefined {
      const [head = "", body = "", signature = "", ...more] = token.split(".");
      const signed = Buffer.from(`${head}.${body}`);
      const bytes = Buffer.from(signature, "base64url");
      if (more.length > 0 || !verify("sha256", signed, keys().publicKey, bytes)) return undefined;
      const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
      return claims.exp < seconds() ? undefined : claims;
    },

    /** The same for each token of a subject. */
    user({ id, permission }: IdentityProviderSettings, name: string): TokenOwner {
      const domain = idOf("identity provider", id);
      const owner = { name, account, domain, permission };
      return { ...owner, id: idOf("federated user", id, name), acceptsTokenOf: () => true };
    },
  };
}

/** A signed JSON Web Token. */
export function signJwt(claims: object, key: KeyObject | string, keyId: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT", kid: keyId })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}
