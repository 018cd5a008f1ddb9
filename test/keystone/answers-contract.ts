import { type Credential, IdentityClient, type IssuedToken, type Scope } from "../../lib/identity";
import { interpretIssue } from "../../lib/identity/interpret/issue-answer";
import { limitsOf } from "../../lib/identity/limits";
import { type ErrorCode, IamTokensError, parseAuthUrl, Secret } from "../../lib/tokens";
import {
  type CredentialName,
  type IdentityUnderTest,
  PROJECTS,
  type UserName,
} from "./identity-under-test";
import { toAnswer } from "./meaning";
import { request } from "./plain-request";

const DOMAIN = { name: "123456" };
const project = (name: string): Scope => ({ kind: "project", project: { name, domain: DOMAIN } });
const CHANGING = project(PROJECTS.other);
const signal = new AbortController().signal;

/**
 * What an answer about a token means, and what a refusal says, at a service. To be called inside of
 * a `describe`.
 */
export function answersSuite(service: () => IdentityUnderTest): void {
  /** With a client of its own, which remembers no refusal. */
  const withClient = async <Value>(ask: (client: IdentityClient) => Promise<Value>) => {
    const client = new IdentityClient();
    return ask(client).finally(() => client.close());
  };
  const tls = () => {
    const { ca } = service();
    return ca === undefined ? {} : { tls: { ca } };
  };
  const authUrl = () => parseAuthUrl(service().authUrl);
  const byPassword = (name: UserName): Credential => ({
    authUrl: authUrl(),
    way: "password",
    user: { name, domain: DOMAIN },
    secret: Secret.of(service().passwordOf(name)),
  });
  const by = async (name: CredentialName): Promise<Credential> => {
    const { id, secret } = await service().credential(name);
    return {
      authUrl: authUrl(),
      way: "application credential",
      by: { id },
      secret: Secret.of(secret),
    };
  };
  const issue = (credential: Credential, scope: Scope) =>
    withClient((client) => client.issueOwn({ credential, scope, ...tls() }, signal));
  const codeOr = (answer: Promise<string>): Promise<string> =>
    answer.catch((error: unknown) => {
      if (!IamTokensError.is(error)) throw error;
      return error.code;
    });
  const of = ({ token }: IssuedToken) => ({ authUrl: authUrl(), token, ...tls() });
  const asks = (token: IssuedToken) =>
    codeOr(withClient((client) => client.validate(of(token), signal)));
  const revokes = (token: IssuedToken) =>
    codeOr(withClient((client) => client.revoke(of(token), signal)));
  const refusal = async (credential: Credential, scope: Scope): Promise<IamTokensError> => {
    const error = await issue(credential, scope).catch((thrown: unknown) => thrown);
    if (!IamTokensError.is(error)) throw new Error("It was not refused.");
    return error;
  };
  /** Times are cut to a second. */
  const settled = () => new Promise((resolve) => setTimeout(resolve, 1_200));
  /** Keystone's workers hear of a change one after the other. */
  const livesAgain = async (token: IssuedToken): Promise<boolean> => {
    for (let tries = 0; tries < 10; tries += 1) {
      if ((await asks(token)) === "alive") return true;
      await settled();
    }
    return false;
  };

  test("a token of an application credential with access rules lives, and cannot revoke itself", async () => {
    const token = await issue(await by("ruled"), { kind: "project" });
    expect(await asks(token)).toBe("alive");
    expect(await revokes(token)).toBe("ERR_TOKEN_HIDDEN");
    expect(await asks(token)).toBe("alive");
    // Without the header, it is hidden.
    const value = token.token.reveal();
    const headers = { "X-Auth-Token": value, "X-Subject-Token": value };
    const { ca, authUrl: base } = service();
    const plain = await request(`${base}/identity/v3/auth/tokens`, { method: "HEAD", headers, ca });
    expect(plain.status).toBe(404);
  });

  test("while its project is disabled, a token is hidden; then it lives again", async () => {
    const token = await issue(byPassword("svc-changing"), CHANGING);
    await settled();
    await service().admin.enableProject(false);
    try {
      expect((await refusal(byPassword("svc-changing"), CHANGING)).code).toBe(
        "ERR_CREDENTIALS_REJECTED",
      );
      expect([await asks(token), await revokes(token)]).toEqual(Array(2).fill("ERR_TOKEN_HIDDEN"));
    } finally {
      await service().admin.enableProject(true);
    }
    expect(await livesAgain(token)).toBe(true);
  }, 60_000);

  test("while its user lacks the role, a token is refused or hidden; then it lives again", async () => {
    const token = await issue(byPassword("svc-changing"), CHANGING);
    await settled();
    await service().admin.permit(false);
    try {
      const answers = [await asks(token), await revokes(token), await asks(token)];
      for (const answer of answers) expect(["refused", "ERR_TOKEN_HIDDEN"]).toContain(answer);
    } finally {
      await service().admin.permit(true);
    }
    expect(await livesAgain(token)).toBe(true);
  }, 60_000);

  test("a token of a disabled user is refused, for good", async () => {
    const token = await issue(byPassword("svc-changing"), CHANGING);
    await settled();
    await service().admin.enableUser(false);
    try {
      expect([await asks(token), await revokes(token)]).toEqual(["refused", "refused"]);
    } finally {
      await service().admin.enableUser(true);
    }
    await settled();
    expect(await asks(token)).toBe("refused");
  }, 60_000);

  test.each<[string, () => Promise<Credential>, ErrorCode, says: RegExp]>([
    [
      "a first password",
      async () => byPassword("svc-first-password"),
      "ERR_CREDENTIALS_REJECTED",
      /The service says that the password has expired, or is a first one/,
    ],
    [
      "a second factor, next to a password",
      async () => byPassword("svc-second-factor"),
      "ERR_SECOND_FACTOR_REQUIRED",
      /then sign in with one/,
    ],
    [
      "a second factor, next to an application credential",
      () => by("second-factor"),
      "ERR_SECOND_FACTOR_REQUIRED",
      /Let an administrator add \["application_credential"\] to the user's multi_f\S+ The request/,
    ],
  ])("what the service lacks is said: %s", async (_, credential, code, says) => {
    const made = await credential();
    const scope =
      made.way === "password" ? project(PROJECTS.permitted) : ({ kind: "project" } as const);
    const error = await refusal(made, scope);
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(error.message).not.toMatch(/does not say why|gAAAA/);
  });

  test("the advice about a second factor is true", async () => {
    const { allowApplicationCredentials } = service().admin;
    if (allowApplicationCredentials === undefined) return;
    const credential = await by("second-factor");
    await allowApplicationCredentials();
    expect(await asks(await issue(credential, { kind: "project" }))).toBe("alive");
  });

  test("a way of signing in that is off is said", async () => {
    const { authUrl: base, ca } = service();
    const identity = { methods: ["no-such"], "no-such": {} };
    const answer = await request(`${base}/identity/v3/auth/tokens`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ auth: { identity } }),
      ca,
    });
    const headers = Object.entries(answer.headers).map(
      ([name, value]) => [name, `${value}`] as const,
    );
    const outcome = toAnswer({ method: "POST", body: "" }, { ...answer, headers });
    const credential = byPassword("svc");
    if (credential.way !== "password") throw new Error("It is one.");
    const heard = {
      outcome,
      url: base,
      secret: credential.secret,
      limits: limitsOf(),
      triesInWords: "",
    };
    expect(() => interpretIssue(heard, { credential, scope: CHANGING })).toThrow(
      /answered 401 .* The service says that it does not accept this way of signing in\./,
    );
  });

  test("a password that ends in a week is a warning, and none that does not end", async () => {
    const ending = await issue(byPassword("svc-ending-password"), project(PROJECTS.permitted));
    expect(ending.warnings).toEqual([
      expect.stringMatching(/^The user's password ends at .*, in \d d/),
    ]);
    expect((await issue(byPassword("svc"), project(PROJECTS.permitted))).warnings).toEqual([]);
  });
}
