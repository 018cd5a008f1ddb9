import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import type { Diagnostic } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { fingerprintOf, IamTokensError, ofProcess, Secret } from "../../../lib/tokens";
import {
  BLOCK,
  brief,
  CANARY,
  contextOf,
  eachIn,
  FakeIdentity,
  passwordIn,
  sessionOf,
  surroundingsOf,
  textOf,
  VARIABLES,
} from "../fixtures";

const ACCOUNT = { scope: "account" };

let folder: string;
eachIn((own) => {
  folder = own;
});

interface Setup {
  readonly block?: CtyObject;
  readonly variables?: Record<string, string>;
  readonly attached?: boolean;
}

describe.each(["ephemeral", "data"] as const)("%s iam_token", (way) => {
  const prepare = ({ block = BLOCK, variables = {}, attached = false }: Setup = {}) => {
    const identity = new FakeIdentity();
    const surroundings = surroundingsOf(variables);
    const provider = createIamProvider({ processContext: surroundings, identity });
    const context = contextOf(sessionOf(block, attached));
    const get = async (
      config: CtyObject,
    ): Promise<{ result?: CtyObject | undefined; diagnostics: readonly Diagnostic[] }> => {
      if (way === "ephemeral") {
        const opened = await provider.ephemeralResources.iam_token?.open(config, context);
        return { result: opened?.result, diagnostics: opened?.diagnostics ?? [] };
      }
      const read = await provider.dataSources.iam_token?.read(config, context);
      return { result: read?.state, diagnostics: read?.diagnostics ?? [] };
    };
    return { identity, context, get };
  };

  test("that was issued is in no message, whatever argument it is given as", async () => {
    const { get, identity } = prepare();
    const token = `Issued-as-${way}/0123456789=`;
    identity.onIssue = async () => ({ token: Secret.of(token) });
    expect((await get(ACCOUNT)).result?.token).toBe(token);
    for (const wrong of [{ scope: token }, { destinations: [token, encodeURIComponent(token)] }]) {
      const said = textOf((await get({ ...ACCOUNT, ...wrong })).diagnostics);
      expect(said).toContain("(sensitive)");
      expect(said).not.toContain(token.slice(0, 12));
    }
  });

  test("of an account has the contract's attributes", async () => {
    const { get, identity, context } = prepare();
    const config = { ...ACCOUNT, min_remaining: "2h" };
    const { result, diagnostics } = await get(config);
    expect(diagnostics).toEqual([]);
    expect(result).toEqual({
      ...config,
      token: CANARY.token,
      header_name: "X-Auth-Token",
      headers: { "X-Auth-Token": CANARY.token },
      kind: "iam_token_account_scoped",
      issued_at: "2026-01-02T03:04:05Z",
      expires_at: "2026-01-03T03:04:05Z",
      fingerprint: fingerprintOf(Secret.of(CANARY.token)),
      auth_url: "https://identity.example.test/identity/v3",
      project_id: null,
      user_id: "u1",
    });
    expect(identity.requests).toMatchObject([
      {
        way: "obtain",
        request: {
          scope: { kind: "account", account: { name: "123456" } },
          keptIn: way === "ephemeral" ? "memory" : "state",
          minRemainingMs: 7_200_000,
          credential: { user: { name: "deployer", domain: { name: "123456" } } },
        },
      },
    ]);
    expect(passwordIn(identity.requests[0]?.request.credential)).toBe(CANARY.password);
    expect(identity.requests[0]?.signal).toBe(context.signal);
  });

  test("of a project requests that project, and only what is given", async () => {
    const { get, identity } = prepare();
    const { result } = await get({ scope: "project", project_name: "web" });
    expect(result).toMatchObject({
      kind: "iam_token_project_scoped",
      project_name: "web",
      project_id: "p1",
    });
    const { request } = identity.requests[0] ?? {};
    const project = { name: "web", domain: { name: "123456" } };
    expect(request?.scope).toEqual({ kind: "project", project });
    for (const name of ["minRemainingMs", "tls", "retryForMs"])
      expect(request).not.toHaveProperty(name);
  });

  test.each([
    ["0s", 0],
    ["2m", 120_000],
  ])("asks for tries of %j, as the block's retry_for says", async (retry_for, retryForMs) => {
    const { get, identity } = prepare({ block: { ...BLOCK, retry_for } });
    await get(ACCOUNT);
    expect(identity.requests[0]?.request.retryForMs).toBe(retryForMs);
  });

  const domain = { name: "654321" };
  test.each<[given: CtyObject, scope: object]>([
    [
      { scope: "project" },
      { kind: "project", project: { name: "web", domain }, origin: ofProcess("OS_PROJECT_NAME") },
    ],
    [
      { scope: "project", project_name: "mine" },
      { kind: "project", project: { name: "mine", domain } },
    ],
    [
      { scope: "project", project_name: "mine", project_id: "abc" },
      { kind: "project", project: { id: "abc" } },
    ],
    [{ scope: "account" }, { kind: "account", account: domain }],
  ])("with OS_PROJECT_NAME, %j requests %j, and leaves the argument", async (given, scope) => {
    const variables = { ...VARIABLES, OS_PROJECT_NAME: "web" };
    const { get, identity } = prepare({ block: {}, variables });
    const { result } = await get(given);
    expect(identity.requests[0]?.request.scope).toEqual(scope);
    expect(result).toMatchObject(given);
  });

  const USER = { ...BLOCK, account_id: null, user_name: null, user_id: "u" };
  test.each<[CtyObject, CtyObject, says: string]>([
    [
      USER,
      ACCOUNT,
      'The account is not given, which scope = "account" needs.\nAdd account_id to the provider block.',
    ],
    [
      USER,
      { scope: "project", project_name: "web" },
      "The account is not given, which a project by name needs.\nAdd account_id to the provider block.",
    ],
    [BLOCK, { ...ACCOUNT, project_id: "p" }, 'project_id is given with scope = "account".'],
  ])("under %j, %j is refused: %s", async (block, config, says) => {
    const { get, identity } = prepare({ block });
    expect(textOf((await get(config)).diagnostics)).toContain(says);
    expect(identity.requests).toEqual([]);
  });

  test.each<[CtyObject, variable: string]>([
    [ACCOUNT, "OS_DOMAIN_NAME"],
    [{ scope: "project", project_name: "web" }, "OS_PROJECT_DOMAIN_NAME"],
  ])("%j with a user by id in the environment needs %s, and no more", async (config, variable) => {
    const { OS_USERNAME: _, OS_USER_DOMAIN_NAME: __, ...rest } = VARIABLES;
    const variables = { ...rest, OS_USER_ID: "u" };
    const first = await prepare({ block: {}, variables }).get(config);
    expect(textOf(first.diagnostics)).toContain(`Add ${variable}.`);
    const next = prepare({ block: {}, variables: { ...variables, [variable]: "7" } });
    expect((await next.get(config)).diagnostics).toEqual([]);
  });

  test.each<[CtyObject, CtyObject, expected: object]>([
    [
      { ...BLOCK, user_id: "u", user_domain_name: "corp", project_domain_id: "d" },
      { scope: "project", project_id: "p", project_name: "web" },
      {
        user: { id: "u", name: "deployer", domain: { name: "corp" } },
        project: { id: "p", name: "web", domain: { id: "d" } },
      },
    ],
    // What the account is the default of is not compared if an id says it exactly.
    [
      { ...BLOCK, user_id: "u" },
      { scope: "project", project_id: "p" },
      { user: { id: "u", name: "deployer" }, project: { id: "p" } },
    ],
    [
      { ...BLOCK, account_domain_id: "d" },
      ACCOUNT,
      {
        user: { name: "deployer", domain: { id: "d", name: "123456" } },
        domain: { id: "d", name: "123456" },
      },
    ],
  ])("under %j, %j is compared with %j", async (block, config, expected) => {
    const { get, identity } = prepare({ block });
    await get(config);
    expect(identity.requests[0]?.request.expected).toEqual(expected);
  });

  test("without a project says why OS_PROJECT_NAME is not used", async () => {
    const { get } = prepare({ variables: { OS_PROJECT_NAME: "web" } });
    expect(textOf((await get({ scope: "project" })).diagnostics)).toContain(
      "OS_PROJECT_NAME is not used because the provider block gives the credentials",
    );
  });

  test.each([["https://a.test/v1/x", "https://a.test/v1"], []])(
    "is handed out for destinations under the base address: %s, %s",
    async (...destinations) => {
      const { get } = prepare({ block: { ...BLOCK, base_url: "https://a.test/v1" } });
      const { result } = await get({ ...ACCOUNT, destinations });
      expect(result).toMatchObject({ token: CANARY.token, destinations });
    },
  );

  test.each<[minRemaining: string | null, error: Error, says: string]>([
    [null, new IamTokensError("ERR_CREDENTIALS_REJECTED", "401."), "ERR_CREDENTIALS_REJECTED"],
    [null, new IamTokensError("ERR_LIFETIME_TOO_SHORT", "1 h."), "ERR_LIFETIME_TOO_SHORT"],
    [
      "2h",
      new IamTokensError("ERR_LIFETIME_TOO_SHORT", "1 h."),
      "ERR_LIFETIME_TOO_SHORT at min_remaining",
    ],
    [null, new RangeError(CANARY.password), "Internal error in the iam provider"],
  ])("min_remaining %j, and the client's %s: %s", async (min_remaining, error, says) => {
    const { get, identity, context } = prepare();
    identity.onIssue = () => Promise.reject(error);
    const { diagnostics } = await get({ ...ACCOUNT, min_remaining });
    expect(brief(diagnostics)).toEqual([says]);
    const text = textOf(diagnostics) + context.logged.join();
    expect(text).not.toContain("canary");
    expect(/RangeError.*RangeError/s.test(text)).toBe(error instanceof RangeError);
  });

  test("turns the client's warnings into warnings", async () => {
    const { get, identity } = prepare();
    identity.onIssue = async () => ({ warnings: ["The clock is off by 5 min."] });
    const { result, diagnostics } = await get(ACCOUNT);
    expect(result).toBeDefined();
    expect(diagnostics).toEqual([
      {
        severity: "warning",
        summary: "An IAM token was issued with a warning",
        detail: "The clock is off by 5 min.",
      },
    ]);
  });

  test("under run says whose variables are meant", async () => {
    const { get } = prepare({ block: {}, attached: true });
    expect(textOf((await get(ACCOUNT)).diagnostics)).toContain("those of iam-tokens run when");
  });

  test("reads the password anew each time: a file that changed is a changed password", async () => {
    const block = { ...BLOCK, password: null, password_file: join(folder, "password") };
    const { get, identity } = prepare({ block });
    for (const password of ["first", "second"]) {
      writeFileSync(block.password_file, `${password}\n`);
      await get(ACCOUNT);
      expect(passwordIn(identity.requests.at(-1)?.request.credential)).toBe(password);
    }
  });
});
