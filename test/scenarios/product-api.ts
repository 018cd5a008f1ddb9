/**
 * A product API as small as the demo needs it: each path demands one kind of token, under the
 * header name of that kind.
 *
 * It asks the identity server for the owner of an IAM token. Real product APIs do the same
 * internally.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";

/** The demands of a path. */
export type Demand =
  | { readonly kind: "iam_token_account_scoped" }
  | { readonly kind: "iam_token_project_scoped"; readonly project: string }
  | { readonly kind: "static_token" };

export interface ProductApiProps {
  /** Validates IAM tokens. */
  readonly identity: Pick<EmbeddedIdentityService, "describeToken">;
  /** The account whose resources these are. */
  readonly accountId: string;
  /** The static tokens that are accepted. */
  readonly staticTokens: readonly string[];
  /** The demands of each path; any other path is 404. */
  readonly demands: Readonly<Record<string, Demand>>;
}

/** A request, and how it was answered. It holds no token. */
export interface ProductApiEntry {
  readonly method: string;
  readonly path: string;
  /** The header that the token came in; null without one. */
  readonly headerName: "X-Auth-Token" | "X-Token" | null;
  /** The kind of the token; null when it is not known here. */
  readonly kind: Demand["kind"] | null;
  /** Of IAM tokens only. */
  readonly fingerprint: string | null;
  readonly status: number;
  /** Why it was refused; null when it was not. */
  readonly reason: string | null;
}

interface Verdict {
  readonly status: number;
  readonly reason: string | null;
  readonly headerName: ProductApiEntry["headerName"];
  readonly kind: ProductApiEntry["kind"];
  readonly fingerprint: string | null;
}

/** A running product API, on loopback and any free port. */
export class ProductApi {
  readonly url: string;
  readonly #server: Server;
  readonly #journal: ProductApiEntry[];

  private constructor(server: Server, journal: ProductApiEntry[]) {
    this.#server = server;
    this.#journal = journal;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(props: ProductApiProps): Promise<ProductApi> {
    const journal: ProductApiEntry[] = [];
    const server = createServer((request, response) => {
      request.resume();
      const path = (request.url ?? "/").replace(/\?.*$/s, "");
      const verdict = judge(props, path, request.headers);
      journal.push({ method: request.method ?? "GET", path, ...verdict });
      response.writeHead(verdict.status, { "Content-Type": "application/json" });
      response.end(
        JSON.stringify(verdict.reason === null ? { ok: true } : { error: verdict.reason }),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return new ProductApi(server, journal);
  }

  /** The requests so far, oldest first. */
  get journal(): readonly ProductApiEntry[] {
    return [...this.#journal];
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/**
 * 404, 401 (no token, or none that is known under this header) or 403 (a valid token, but not of
 * the kind that this path takes).
 */
function judge(props: ProductApiProps, path: string, headers: IncomingHttpHeaders): Verdict {
  const presented = present(props, headers);
  const { kind, headerName, fingerprint } = presented;
  const answer = (status: number, reason: string | null): Verdict => ({
    status,
    reason,
    headerName,
    kind,
    fingerprint,
  });
  const demand = Object.hasOwn(props.demands, path) ? props.demands[path] : undefined;
  if (demand === undefined) return answer(404, "There is nothing here.");
  if (presented.problem !== null) return answer(401, presented.problem);
  if (kind !== demand.kind) return answer(403, `This path takes ${demand.kind}, and got ${kind}.`);
  if (kind !== "static_token" && presented.account !== props.accountId)
    return answer(403, "The token is of another account.");
  if (demand.kind === "iam_token_project_scoped" && presented.project !== demand.project) {
    return answer(403, `The token is of another project than ${demand.project}.`);
  }
  return answer(200, null);
}

interface Presented extends Pick<Verdict, "headerName" | "kind" | "fingerprint"> {
  readonly account: string | null;
  readonly project: string | null;
  readonly problem: string | null;
}

const NOTHING: Presented = {
  headerName: null,
  kind: null,
  fingerprint: null,
  account: null,
  project: null,
  problem: null,
};

function present(
  { identity, staticTokens }: ProductApiProps,
  headers: IncomingHttpHeaders,
): Presented {
  const iam = headers["x-auth-token"];
  const fixed = headers["x-token"];
  if (iam !== undefined && fixed !== undefined)
    return { ...NOTHING, problem: "Both X-Auth-Token and X-Token are given." };
  if (typeof iam === "string") {
    const described = identity.describeToken(iam);
    const base = { ...NOTHING, headerName: "X-Auth-Token" } as const;
    if (described.status === "unknown")
      return { ...base, problem: "X-Auth-Token holds no IAM token of this service." };
    const { kind, fingerprint, accountId, project, status } = described;
    const known = { ...base, kind, fingerprint, account: accountId, project };
    return status === "valid" ? known : { ...known, problem: `The IAM token is ${status}.` };
  }
  if (typeof fixed === "string") {
    const base = { ...NOTHING, headerName: "X-Token" } as const;
    if (staticTokens.some((token) => sameText(token, fixed)))
      return { ...base, kind: "static_token" };
    return { ...base, problem: "X-Token holds no static token of this account." };
  }
  return { ...NOTHING, problem: "Neither X-Auth-Token nor X-Token is given." };
}

function sameText(expected: string, given: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
