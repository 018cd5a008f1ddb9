import { type Credential, IdentityClient, type IssuedToken, type Scope } from "../../lib/identity";
import { interpretIssue } from "../../lib/identity/interpret/issue-answer";
import { type ErrorCode, IamTokensError } from "../../lib/tokens";
import { answer, exchanged } from "../identity/support/scripted";
import { credentialAt, errorOf, idle, project } from "../identity/support/wanted";
import {
  at,
  type CredentialName,
  credential,
  type IdentityUnderTest,
  PROJECTS,
  password,
  tlsOf,
  type UserName,
} from "./identity-under-test";
import { signIn, statusOf } from "./plain-request";

const CHANGING = project(PROJECTS.other);
const OWN: Scope = { kind: "project" };
const signal = idle();

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
  const here = () => ({ ...at(service()), ...tlsOf(service()) });
  const byPassword = (name: UserName) => password(name)(service());
  const by = (name: CredentialName) => credential(name)(service());
  const issue = async (credential: Promise<Credential>, scope = OWN) => {
    const request = { credential: await credential, scope, ...tlsOf(service()) };
    return withClient((client) => client.issueOwn(request, signal));
  };
  const codeOr = (answer: Promise<string>): Promise<string> =>
    answer.catch((error: unknown) => {
      if (!IamTokensError.is(error)) throw error;
      return error.code;
    });
  const of = ({ token }: IssuedToken) => ({ ...here(), token });
  const asks = (token: IssuedToken) =>
    codeOr(withClient((client) => client.validate(of(token), signal)));
  const revokes = (token: IssuedToken) =>
    codeOr(withClient((client) => client.revoke(of(token), signal)));
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
    const token = await issue(by("ruled"));
    expect(await asks(token)).toBe("alive");
    expect(await revokes(token)).toBe("ERR_TOKEN_HIDDEN");
    expect(await asks(token)).toBe("alive");
    // Without the header, it is hidden.
    expect(await statusOf(service(), token.token.reveal(), "HEAD")).toBe(404);
  });

  test("while its project is disabled, a token is hidden; then it lives again", async () => {
    const token = await issue(byPassword("svc-changing"), CHANGING);
    await settled();
    await service().admin.enableProject(false);
    try {
      const { code } = await errorOf(issue(byPassword("svc-changing"), CHANGING));
      expect(code).toBe("ERR_CREDENTIALS_REJECTED");
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
      () => byPassword("svc-first-password"),
      "ERR_CREDENTIALS_REJECTED",
      /The service says that the password has expired, or is a first one/,
    ],
    [
      "a second factor, next to a password",
      () => byPassword("svc-second-factor"),
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
    const made = credential();
    const isUser = (await made).way === "password";
    const error = await errorOf(issue(made, isUser ? project(PROJECTS.permitted) : OWN));
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(error.message).not.toMatch(/does not say why|gAAAA/);
  });

  test("the advice about a second factor is true", async () => {
    const { allowApplicationCredentials } = service().admin;
    if (allowApplicationCredentials === undefined) return;
    const credential = by("second-factor");
    await credential;
    await allowApplicationCredentials();
    expect(await asks(await issue(credential))).toBe("alive");
  });

  test("a way of signing in that is off is said", async () => {
    const identity = { methods: ["no-such"], "no-such": {} };
    const { status, headers, body } = await signIn(service(), { identity });
    const outcome = answer(status, headers as Record<string, string>, body);
    const context = { credential: credentialAt(service().authUrl), scope: CHANGING };
    expect(() => interpretIssue(exchanged(outcome), context)).toThrow(
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
