import { inspect } from "node:util";
import type {
  Credential,
  IssuedToken,
  IssueRequest,
  Revocation,
  RevokeRequest,
  Validation,
} from "../../lib/identity";
import type { CtyObject } from "../../lib/plugin/cty/value";
import type { Diagnostic, OperationContext } from "../../lib/plugin/provider";
import { ExplainedOnce } from "../../lib/provider/configuration/explained-once";
import { describeCredentials } from "../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../lib/provider/credentials/provider-block";
import { readCredential } from "../../lib/provider/credentials/read-credential";
import type { IamSession } from "../../lib/provider/objects/token-requests";
import type { IdentityAccess, IdentityPort } from "../../lib/provider/process/identity-access";
import type { ProcessContext } from "../../lib/provider/process/process-context";
import { SecretReader } from "../../lib/provider/secrets/secret-reader";
import { IamTokensError, KIND_OF_SCOPE, parseAuthUrl, Secret } from "../../lib/tokens";
import { temporaryFolder } from "../support/temporary-folder";

/** Texts that must never turn up in a message. */
export const CANARY = {
  password: "canary-password-never-shown",
  token: "canary-token-never-shown",
  static: "canary-static-never-shown",
} as const;

export const BLOCK = {
  auth_url: "https://identity.example.test",
  account_id: "123456",
  user_name: "deployer",
  password: CANARY.password,
} as const satisfies CtyObject;

export const VARIABLES = {
  OS_AUTH_URL: "https://pipeline.example.test",
  OS_USER_DOMAIN_NAME: "654321",
  OS_USERNAME: "pipeline",
  OS_PASSWORD: CANARY.password,
} as const;

export const surroundingsOf = (
  variables: ProcessContext["variables"] = {},
  more: Partial<Omit<ProcessContext, "variables">> = {},
): ProcessContext => ({ variables, workingFolder: "/", attached: false, ...more });

/** Gives each test a folder of its own, whose path has no links. */
export const eachIn = (enter: (folder: string) => void): void => {
  beforeEach(() => enter(temporaryFolder()));
};

/** The credential of a block, as a token's request gets it. */
export const readCredentialOf = async (
  block: CtyObject,
  processContext: ProcessContext,
  identity = new FakeIdentity(),
) => {
  const reader = new SecretReader(processContext, identity);
  const { signal, log } = contextOf();
  const description = await describeCredentials(toProviderBlock(block), processContext);
  return readCredential(description, processContext, reader, { signal, log });
};

export const sessionOf = (block: CtyObject = {}, attached = false): IamSession => ({
  block: toProviderBlock(block),
  attached,
  errors: new ExplainedOnce(),
});

export const contextOf = (
  session: IamSession = sessionOf(),
  signal: AbortSignal = new AbortController().signal,
): OperationContext<IamSession> & { readonly logged: string[] } => {
  const logged: string[] = [];
  return {
    session,
    signal,
    logged,
    log: (level, message, fields) => void logged.push(`${level} ${message} ${inspect(fields)}`),
  };
};

/** Our error of a call, in which no canary stands; undefined if it has none. */
export async function refusalOf(call: () => unknown): Promise<IamTokensError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    const all = `${error.message} ${inspect(error, { depth: 10, showHidden: true })}`;
    expect(all).not.toContain("canary");
    return error;
  }
}

/** A request about a token, as a test looks at it. */
const about = ({ token, authUrl, ...more }: RevokeRequest) => ({
  ...{ token: token.reveal(), at: authUrl.v3, ...more },
});

/**
 * The identity client's place: what the provider asks of the client, which issues at once. What a
 * service answers to the client is in test/identity, with a transport in memory.
 */
export class FakeIdentity implements IdentityAccess, IdentityPort {
  readonly requests: {
    readonly way: "obtain" | "issueOwn";
    readonly request: IssueRequest;
    readonly signal: AbortSignal;
  }[] = [];
  readonly revoked: ReturnType<typeof about>[] = [];
  readonly asked: ReturnType<typeof about>[] = [];
  /** Audiences that GitHub Actions was asked for. */
  readonly audiences: string[] = [];
  clients = 0;
  closed = 0;
  /** The answers, which a test may replace. */
  onIssue: (request: IssueRequest) => Promise<Partial<IssuedToken>> = async () => ({});
  onRevoke: () => Promise<Revocation> = async () => "revoked";
  onValidate: (signal: AbortSignal) => Promise<Validation> = async () => "alive";
  onDiscover: IdentityPort["discover"] = async ({ authUrl }) => parseAuthUrl(authUrl.asked);

  client(): IdentityPort {
    this.clients += 1;
    return this;
  }

  obtain = (...given: Asking): Promise<IssuedToken> => this.#issue("obtain", ...given);
  issueOwn = (...given: Asking): Promise<IssuedToken> => this.#issue("issueOwn", ...given);
  discover: IdentityPort["discover"] = (...given) => this.onDiscover(...given);

  revoke(request: RevokeRequest): Promise<Revocation> {
    this.revoked.push(about(request));
    return this.onRevoke();
  }

  validate(request: RevokeRequest, signal: AbortSignal): Promise<Validation> {
    this.asked.push(about(request));
    return this.onValidate(signal);
  }

  async requestFromGitHub(
    { audience }: { audience: string },
    signal: AbortSignal,
  ): Promise<Secret> {
    signal.throwIfAborted();
    this.audiences.push(audience);
    return Secret.of(CANARY.token);
  }

  async settled(): Promise<void> {}

  async close(): Promise<void> {
    this.closed += 1;
  }

  async #issue(way: "obtain" | "issueOwn", ...[request, signal]: Asking): Promise<IssuedToken> {
    this.requests.push({ way, request, signal });
    const { issuedAt, expiresAt, ...answer } = {
      issuedAt: new Date("2026-01-02T03:04:05.678Z"),
      expiresAt: new Date("2026-01-03T03:04:05.999Z"),
      ...(await this.onIssue(request)),
    };
    const { scope, credential } = request;
    const project = scope.kind === "project" ? scope.project : undefined;
    return {
      token: Secret.of(CANARY.token),
      kind: KIND_OF_SCOPE[scope.kind],
      userId: "u1",
      ...(scope.kind === "project" && {
        projectId: project && "id" in project ? project.id : "p1",
      }),
      issuedAt,
      expiresAt,
      remainingMs: expiresAt.getTime() - issuedAt.getTime(),
      receivedAt: issuedAt.getTime(),
      authUrl: credential.authUrl,
      warnings: [],
      ...answer,
    };
  }
}

type Asking = [request: IssueRequest, signal: AbortSignal];

/** Code and path of each diagnostic, for short expectations. */
const placeOf = (path: readonly (string | number)[] | undefined): string => {
  if (path === undefined) return "";
  return path.length === 0 ? " on no line" : ` at ${path.join(".")}`;
};

export const brief = (diagnostics: readonly Diagnostic[] | undefined): string[] =>
  (diagnostics ?? []).map(
    ({ severity, summary, path }) =>
      `${severity === "warning" ? "warning " : ""}${/\[(ERR_\w+)\]$/.exec(summary)?.[1] ?? summary}${placeOf(path)}`,
  );

/** All that the diagnostics say. */
export const textOf = (diagnostics: readonly Diagnostic[] | undefined): string =>
  (diagnostics ?? []).map(({ summary, detail }) => `${summary}\n${detail}`).join("\n");

/** The password of a credential, which must be one with a password. */
export function passwordIn(credential: Credential | undefined): string {
  if (credential?.way !== "password") throw new Error("not a password");
  return credential.secret.reveal();
}
