import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type FederatedCredential,
  IdentityClient,
  type IdentityClientOptions,
} from "../../../lib/identity";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { HOUR, NOW } from "../support/wanted";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An identity token; what is not a real signature is a canary. */
export const jwt = (claims: Readonly<Record<string, unknown>> = {}, signature = "CANARYsig") =>
  Secret.of(
    `${part({ alg: "RS256" })}.${part({
      iss: "https://issuer.example",
      aud: "keystone",
      sub: "repo:acme/web",
      exp: NOW / 1_000 + 300,
      ...claims,
    })}.${signature}`,
  );

/** Keystone with federation, behind a web server: on loopback, with a clock in hand. */
export class FederatedService {
  /** The requests, in words. */
  readonly asked: string[] = [];
  readonly live = new Set<string>();
  clock = NOW;
  lifetimeMs = 24 * HOUR;
  /** Status of the web server's answer to an identity token. */
  refuses: (identityToken: string) => boolean = () => false;
  /** Scopes without permission. */
  readonly forbidden = new Set<string>();
  /** Whether it revokes tokens. */
  revokes = true;
  readonly #ends = new Map<string, number>();
  #count = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FederatedService> {
    const server = createServer();
    const service = new FederatedService(server);
    server.on("request", (request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        response.setHeader("Date", new Date(service.clock).toUTCString());
        const token = String(request.headers["x-subject-token"] ?? "");
        if (request.method === "DELETE") service.#revoke(token, response);
        else if (request.url?.endsWith("/auth/tokens")) service.#scope(JSON.parse(body), response);
        else service.#signIn(request.url ?? "", request.headers.authorization ?? "", response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  /** A client with the same clock. */
  client(options: IdentityClientOptions = {}): IdentityClient {
    return new IdentityClient({ now: () => this.clock, sleep: async () => {}, ...options });
  }

  credential(over: Partial<FederatedCredential> = {}): FederatedCredential {
    return {
      way: "identity token",
      authUrl: parseAuthUrl(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`),
      accountId: "123456",
      identityProvider: "ci/1",
      protocol: "openid",
      place: "file /run/token",
      origin: "oidc_token_file of the provider block",
      readToken: async () => jwt(),
      ...over,
    };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  #signIn(url: string, authorization: string, response: ServerResponse): void {
    this.asked.push(`sign in ${url.replace("/identity/v3/OS-FEDERATION/", "")}`);
    if (this.refuses(authorization.replace("Bearer ", ""))) {
      response.setHeader("WWW-Authenticate", 'Bearer error="invalid_token"');
      response.writeHead(401, { "content-type": "text/html" }).end("<html>\u001b[31m");
      return;
    }
    this.#issue("unscoped", this.clock + this.lifetimeMs, {}, response);
  }

  #scope(
    { auth: { identity, scope } }: { auth: { identity: { token: { id: string } }; scope: Scoped } },
    response: ServerResponse,
  ): void {
    const name = scope.project?.name ?? "account";
    this.asked.push(`scope ${name} by ${identity.token.id}`);
    const end = this.#ends.get(identity.token.id) ?? 0;
    if (!this.live.has(identity.token.id) || end <= this.clock) keystoneError(404, response);
    else if (this.forbidden.has(name)) keystoneError(401, response);
    else this.#issue(name, end, scope, response);
  }

  #revoke(token: string, response: ServerResponse): void {
    this.asked.push(`revoke ${token}`);
    response.writeHead(this.revokes ? (this.live.delete(token) ? 204 : 404) : 403).end();
  }

  #issue(name: string, end: number, scope: object, response: ServerResponse): void {
    const id = `${name}-${++this.#count}`;
    this.live.add(id);
    this.#ends.set(id, end);
    const domain = { name: "4a1e85b24e8b4c859d96bb732b4b84f4" };
    const token = {
      methods: ["openid"],
      user: { name: "repo:acme/web", domain },
      issued_at: new Date(this.clock).toISOString(),
      expires_at: new Date(end).toISOString(),
      ...scope,
    };
    response.writeHead(201, { "X-Subject-Token": id, "content-type": "application/json" });
    response.end(JSON.stringify({ token }));
  }
}

interface Scoped {
  readonly project?: { readonly name: string };
}

const keystoneError = (code: number, response: ServerResponse) =>
  void response
    .writeHead(code, { "content-type": "application/json" })
    .end(JSON.stringify({ error: { code, message: "message", title: "title" } }));

/** Uses a service with a client, and ends both. */
export async function withService<Result>(
  use: (service: FederatedService, client: IdentityClient) => Promise<Result>,
  options: IdentityClientOptions = {},
): Promise<Result> {
  const service = await FederatedService.start();
  const client = service.client(options);
  try {
    return await use(service, client);
  } finally {
    await client.close();
    service.close();
  }
}

export const many = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
