import {
  IdentityClient,
  type IssueRequest,
  type PasswordCredential,
  type Scope,
} from "../../../lib/identity";
import type { OidcTokenOptions } from "../../../lib/testing";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import type { Credential, CredentialName, IdentityUnderTest } from "../identity-under-test";
import { type PlainAnswer, type PlainRequest, request } from "../plain-request";

export const TOKENS = "/identity/v3/auth/tokens";

/** The `token` member of a body. */
export interface TokenBody {
  readonly methods: readonly string[];
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly domain: { readonly id: string; readonly name: string };
    readonly password_expires_at: string | null;
  };
  readonly application_credential?: object;
  readonly audit_ids: readonly string[];
  readonly issued_at: string;
  readonly expires_at: string;
  readonly domain?: { readonly id: string; readonly name: string };
  readonly project?: { readonly id: string; readonly name: string };
  readonly roles?: readonly unknown[];
  readonly catalog?: readonly CatalogEntry[];
}

/** A service in the catalog. */
export interface CatalogEntry {
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly {
    readonly interface: string;
    readonly region_id: string | null;
    readonly region: string | null;
    readonly url: string;
  }[];
}

/** Actions of the cases on a service. */
export class ServiceHands {
  readonly service: IdentityUnderTest;

  constructor(service: IdentityUnderTest) {
    this.service = service;
  }

  get account(): { readonly name: string } {
    return { name: this.service.accountId };
  }

  get accountScope(): object {
    return { domain: this.account };
  }

  /** The permitted project, unless another is named. */
  projectScope(name = this.service.projects.permitted ?? "no-project"): object {
    return { project: { name, domain: this.account } };
  }

  /** The `user` member of a right request. */
  userMember(user = this.service.user): Record<string, unknown> {
    return { name: user, domain: this.account, password: this.service.passwordOf(user) };
  }

  /** The body of a right request. */
  body(user = this.service.user, scope: unknown = this.accountScope): AuthBody {
    return {
      auth: {
        identity: { methods: ["password"], password: { user: this.userMember(user) } },
        scope,
      },
    };
  }

  /**
   * @param path below the spec's mount, /identity, which stands for that of the service; anything
   * else as it is
   */
  send(path: string, wanted: PlainRequest = {}): Promise<PlainAnswer> {
    const [, below] = /^\/identity((?:\/.*)?)$/.exec(path) ?? [];
    return request(below === undefined ? this.service.authUrl + path : this.mount + below, {
      ca: this.service.ca,
      ...wanted,
    });
  }

  /** What `/v3` stands behind. */
  get mount(): string {
    return parseAuthUrl(this.service.authUrl).v3.replace(/\/v3$/, "");
  }

  /** Expected message: nothing, where texts are not compared. */
  expected(answer: readonly [number, string?]): readonly [number, string?] {
    return this.service.exactTexts ? answer : [answer[0]];
  }

  post(body: unknown, path = TOKENS): Promise<PlainAnswer> {
    const headers = { "Content-Type": "application/json" };
    return this.send(path, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** @throws at a service that is not ours */
  async credential(name: CredentialName): Promise<Credential> {
    const { credential } = this.service;
    if (credential === undefined) throw new Error("There are no application credentials.");
    return credential(name);
  }

  /** A token with what its body shows. */
  async issue(user = this.service.user, scope: unknown = this.accountScope) {
    return this.take(await this.post(this.body(user, scope)));
  }

  /** Contents of a successful answer. */
  take(answer: PlainAnswer): { readonly token: string; readonly tokenBody: TokenBody } {
    // Not the body: it could repeat a request.
    if (answer.status !== 201) throw new Error(`no token was issued: ${answer.status}`);
    const { token: tokenBody } = JSON.parse(answer.body) as { readonly token: TokenBody };
    return { token: String(answer.headers["x-subject-token"]), tokenBody };
  }

  /** For another token: by a token, instead of a password. */
  exchange(token: string, scope?: unknown): Promise<PlainAnswer> {
    return this.post({ auth: { identity: { methods: ["token"], token: { id: token } }, scope } });
  }

  /** The first of the two requests with an identity token. */
  signIn(token: string | undefined, provider = "ci", protocol = "openid"): Promise<PlainAnswer> {
    return this.send(
      `/identity/v3/OS-FEDERATION/identity_providers/${provider}/protocols/${protocol}/auth`,
      {
        method: "POST",
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      },
    );
  }

  /** The same service where it accepts identity tokens. */
  get federated(): ServiceHands {
    const authUrl = this.service.federation?.authUrl ?? this.service.authUrl;
    return new ServiceHands({ ...this.service, authUrl });
  }

  /** An identity token. */
  oidcToken(options: OidcTokenOptions = {}): string {
    if (this.service.federation === undefined) throw new Error("There are no identity tokens.");
    return this.service.federation.oidcToken(options);
  }

  /** Status, and the message of an error. */
  async about(
    method: string,
    caller: string | undefined,
    subject: string | undefined,
  ): Promise<readonly [number, string?]> {
    const headers = {
      ...(caller === undefined ? {} : { "X-Auth-Token": caller }),
      ...(subject === undefined ? {} : { "X-Subject-Token": subject }),
    };
    const { status, body } = await this.send(TOKENS, { method, headers });
    return this.expected(status >= 400 && method !== "HEAD" ? [status, messageOf(body)] : [status]);
  }

  /** Whether the service itself still accepts a token. */
  async accepts(token: string): Promise<boolean> {
    const [status] = await this.about("GET", token, token);
    return status === 200;
  }

  /** A wish as our own client has it. */
  issueRequest(
    user: string,
    scope: Scope,
    changed: { readonly password?: string; readonly account?: string } = {},
  ): IssueRequest & { readonly credential: PasswordCredential } {
    const { service } = this;
    return {
      credential: {
        way: "password",
        authUrl: parseAuthUrl(service.authUrl),
        accountId: changed.account ?? service.accountId,
        userName: user,
        secret: Secret.of(changed.password ?? service.passwordOf(user)),
      },
      scope,
      ...(service.ca === undefined ? {} : { tls: { ca: service.ca } }),
    };
  }

  /** Our own client, for as long as `use` takes. */
  async withClient(
    use: (client: IdentityClient, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const client = new IdentityClient();
    try {
      await use(client, new AbortController().signal);
    } finally {
      await client.close();
    }
  }
}

/** The body of a token request. */
export interface AuthBody {
  readonly auth: {
    readonly identity: {
      readonly methods: readonly string[];
      readonly password: { readonly user: Record<string, unknown> };
    };
    readonly scope: unknown;
  };
}

/** The message of an error. */
export function messageOf(body: string): string {
  const { error } = JSON.parse(body) as { readonly error?: { readonly message: string } };
  return error?.message ?? "(not of Keystone's shape)";
}
