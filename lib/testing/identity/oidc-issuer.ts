import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import type { IdentityProviderSettings } from "../config/settings";

/** The claims of an identity token. @see docs/testing.md */
export interface OidcTokenOptions {
  /** The `id` of the identity provider that it is for. Default: the first one. */
  readonly identityProvider?: string;
  /** Issuer. Default: the one that the identity provider accepts. */
  readonly iss?: string;
  /** Subject: the name of the user that it becomes. Default: `job`. */
  readonly sub?: string;
  /** Audience. Default: the one that the identity provider requires, if it requires one. */
  readonly aud?: string | readonly string[];
  /** Seconds until it expires; negative: it has expired. Default: 300. */
  readonly expiresIn?: number;
  /** Further claims. Default: none. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** @internal Why an identity token does not reach Keystone, in the words of Apache's module. */
export type OidcRefusal = "JWT token could not be validated" | "Could not set remote user";

const KEY_ID = "throw-away";
/** Those that a test searches for. */
const KEPT = 10_000;

/** @internal Signs identity tokens with its own key, and checks them as mod_auth_openidc does. */
export class OidcIssuer {
  readonly #now: () => number;
  readonly #issued: string[] = [];
  #pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Oldest first. */
  get issued(): readonly string[] {
    return [...this.#issued];
  }

  issue(provider: IdentityProviderSettings, options: OidcTokenOptions): string {
    const {
      iss = provider.issuer,
      sub = "job",
      aud = provider.audience,
      expiresIn = 300,
    } = options;
    const iat = Math.floor(this.#now() / 1000);
    const token = signJwt(
      { iss, sub, aud, iat, exp: iat + expiresIn, ...options.claims },
      this.#keys.privateKey,
      KEY_ID,
    );
    this.#issued.push(token);
    if (this.#issued.length > KEPT) this.#issued.shift();
    return token;
  }

  /** The claims of a token with a signature of this issuer and an end that is not past. */
  check(token: string): Readonly<Record<string, unknown>> | OidcRefusal {
    const [head = "", body = "", signature = "", ...more] = token.split(".");
    const claims = parse(body);
    const isSigned =
      more.length === 0 &&
      verify(
        "sha256",
        Buffer.from(`${head}.${body}`),
        this.#keys.publicKey,
        Buffer.from(signature, "base64url"),
      );
    const { exp = Number.POSITIVE_INFINITY, sub } = claims;
    if (!isSigned || typeof exp !== "number" || exp < Math.floor(this.#now() / 1000))
      return "JWT token could not be validated";
    return typeof sub === "string" ? claims : "Could not set remote user";
  }

  /** Made when it is needed: that takes a tenth of a second. */
  get #keys() {
    this.#pair ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
    return this.#pair;
  }
}

/** @internal A signed JSON Web Token. */
export function signJwt(claims: object, key: KeyObject | string, keyId: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT", kid: keyId })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

function parse(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
