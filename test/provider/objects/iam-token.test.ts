import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Diagnostic } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { fingerprintOf, IamTokensError, Secret } from "../../../lib/tokens";
import {
  BLOCK,
  brief,
  CANARY,
  contextOf,
  FakeIdentity,
  passwordIn,
  sessionOf,
  surroundingsOf,
  textOf,
  VARIABLES,
} from "../fixtures";

const UNSET = { project_name: null, min_remaining: null, destinations: null };

interface Setup {
  readonly block?: CtyObject;
  readonly variables?: Record<string, string>;
}

const prepare = ({ block = BLOCK, variables = {} }: Setup = {}) => {
  const identity = new FakeIdentity();
  const provider = createIamProvider({ processContext: surroundingsOf(variables), identity });
  const context = contextOf(sessionOf(block));
  const ephemeral = provider.ephemeralResources.iam_token;
  const data = provider.dataSources.iam_token;
  if (ephemeral === undefined || data === undefined) throw new Error("no iam_token");
  /** Through either object: both have the same rules. */
  const get = async (
    way: "ephemeral" | "data",
    config: CtyObject,
  ): Promise<{ result?: CtyObject; diagnostics: readonly Diagnostic[] }> => {
    if (way === "ephemeral") {
      const { result, diagnostics = [] } = await ephemeral.open(
        { revoke_on_close: null, ...config },
        context,
      );
      return { ...(result ? { result } : {}), diagnostics };
    }
    const { state, diagnostics = [] } = await data.read(config, context);
    return { ...(state ? { result: state } : {}), diagnostics };
  };
  return { identity, provider, context, ephemeral, data, get };
};

describe.each(["ephemeral", "data"] as const)("%s iam_token", (way) => {
  test.each([
    ["0s", 0],
    ["2m", 120_000],
    [null, undefined],
  ])("asks for tries of %j, as the block's retry_for says", async (retry_for, retryForMs) => {
    const { get, identity } = prepare({ block: { ...BLOCK, retry_for } });
    await get(way, { ...UNSET, scope: "account" });
    expect(identity.requests[0]?.request.retryForMs).toBe(retryForMs);
  });

  test("of an account has the contract's attributes", async () => {
    const { get, identity } = prepare();
    const config = { ...UNSET, scope: "account", min_remaining: "2h" };
    const { result, diagnostics } = await get(way, config);
    expect(diagnostics).toEqual([]);
    expect(result).toEqual({
      ...config,
      ...(way === "ephemeral" ? { revoke_on_close: null } : {}),
      token: CANARY.token,
      header_name: "X-Auth-Token",
      headers: { "X-Auth-Token": CANARY.token },
      kind: "iam_token_account_scoped",
      issued_at: "2026-01-02T03:04:05Z",
      expires_at: "2026-01-03T03:04:05Z",
      fingerprint: fingerprintOf(Secret.of(CANARY.token)),
      auth_url: "https://identity.example.test/identity/v3",
    });
    expect(identity.requests).toMatchObject([
      {
        way: "obtain",
        request: {
          scope: { kind: "account" },
          keptIn: way === "ephemeral" ? "memory" : "state",
          minRemainingMs: 7_200_000,
          credential: { accountId: "123456", userName: "deployer" },
        },
      },
    ]);
    expect(passwordIn(identity.requests[0]?.request.credential)).toBe(CANARY.password);
  });

  test("of a project requests that project", async () => {
    const { get, identity } = prepare();
    const { result } = await get(way, { ...UNSET, scope: "project", project_name: "web" });
    expect(result).toMatchObject({ kind: "iam_token_project_scoped", project_name: "web" });
    expect(identity.requests).toMatchObject([
      { request: { scope: { kind: "project", projectName: "web" } } },
    ]);
    expect(identity.requests[0]?.request).not.toHaveProperty("minRemainingMs");
    expect(identity.requests[0]?.request).not.toHaveProperty("tls");
  });

  test("takes the project of OS_PROJECT_NAME when the environment gives the credentials, and leaves the argument null", async () => {
    const { get, identity } = prepare({
      block: {},
      variables: { ...VARIABLES, OS_PROJECT_NAME: "web" },
    });
    const { result } = await get(way, { ...UNSET, scope: "project" });
    expect(identity.requests).toMatchObject([
      { request: { scope: { kind: "project", projectName: "web" } } },
    ]);
    expect(result).toMatchObject({ project_name: null });
    expect(
      (await get(way, { ...UNSET, scope: "project", project_name: "mine" })).diagnostics,
    ).toEqual([]);
    expect(identity.requests[1]).toMatchObject({ request: { scope: { projectName: "mine" } } });
  });

  test("is not given another scope by OS_PROJECT_NAME", async () => {
    const { get, identity } = prepare({
      block: {},
      variables: { ...VARIABLES, OS_PROJECT_NAME: "web" },
    });
    await get(way, { ...UNSET, scope: "account" });
    expect(identity.requests).toMatchObject([{ request: { scope: { kind: "account" } } }]);
  });

  test("is refused without a project, with the reason why OS_PROJECT_NAME is not used", async () => {
    const { get, identity } = prepare({ variables: { OS_PROJECT_NAME: "web" } });
    const { result, diagnostics } = await get(way, { ...UNSET, scope: "project" });
    expect(result).toBeUndefined();
    expect(brief(diagnostics)).toEqual(["ERR_SCOPE_INVALID at project_name"]);
    expect(textOf(diagnostics)).toContain(
      "OS_PROJECT_NAME is not used because the provider block gives the credentials",
    );
    expect(identity.requests).toEqual([]);
  });

  test("is refused when OS_PROJECT_NAME is not a name", async () => {
    const { get } = prepare({ block: {}, variables: { ...VARIABLES, OS_PROJECT_NAME: " web" } });
    const { diagnostics } = await get(way, { ...UNSET, scope: "project" });
    expect(brief(diagnostics)).toEqual(["ERR_NAME_INVALID"]);
    expect(textOf(diagnostics)).toContain("OS_PROJECT_NAME");
  });

  test.each([
    [{ scope: "domain" }, ["ERR_SCOPE_INVALID at scope"]],
    [{ scope: "" }, ["ERR_SCOPE_INVALID at scope"]],
    // Commands for a terminal that JSON does not escape.
    [{ scope: "\u009b2J\u007f" }, ["ERR_SCOPE_INVALID at scope"]],
    [{ scope: null }, ["ERR_SCOPE_INVALID at scope"]],
    [{ scope: "account", project_name: "web" }, ["ERR_SCOPE_INVALID at project_name"]],
    [{ scope: "project", project_name: "" }, ["ERR_NAME_INVALID at project_name"]],
    [{ scope: "project", project_name: "a\u0007" }, ["ERR_NAME_INVALID at project_name"]],
    [{ scope: "account", min_remaining: "2 hours" }, ["ERR_DURATION_INVALID at min_remaining"]],
    [{ scope: "account", min_remaining: "24h" }, ["ERR_LIFETIME_TOO_SHORT at min_remaining"]],
    [{ scope: "account", destinations: ["x.test"] }, ["ERR_ADDRESS_INVALID at destinations"]],
    [{ scope: "account", destinations: [null] }, ["ERR_ADDRESS_INVALID at destinations"]],
    [
      { scope: "account", destinations: ["https://user:canary@x.test"] },
      ["ERR_ADDRESS_INVALID on no line"],
    ],
    [
      { scope: "x", min_remaining: "y", destinations: ["z", "https://x.test", ""] },
      [
        "ERR_SCOPE_INVALID at scope",
        "ERR_DURATION_INVALID at min_remaining",
        "ERR_ADDRESS_INVALID at destinations",
        "ERR_ADDRESS_INVALID at destinations",
      ],
    ],
  ])(
    "refuses %j when it is validated, and again when it is opened, with no request",
    async (config, expected) => {
      const { get, identity, ephemeral, data } = prepare();
      const validate = way === "ephemeral" ? ephemeral.validate : data.validate;
      const diagnostics = validate?.({ ...UNSET, ...config });
      expect(brief(diagnostics)).toEqual(expected);
      expect(textOf(diagnostics)).not.toMatch(/[^\n\P{Cc}]/u);
      expect(brief((await get(way, { ...UNSET, ...config })).diagnostics)).toEqual(expected);
      expect(identity.requests).toEqual([]);
    },
  );

  test("ignores unknown values at validation", () => {
    const { ephemeral, data } = prepare();
    const validate = way === "ephemeral" ? ephemeral.validate : data.validate;
    const unknown: CtyObject = {
      scope: UNKNOWN,
      project_name: UNKNOWN,
      min_remaining: UNKNOWN,
      destinations: UNKNOWN,
    };
    expect(validate?.(unknown)).toEqual([]);
    expect(validate?.({ ...unknown, scope: "account" })).toEqual([]);
    expect(brief(validate?.({ ...unknown, project_name: "" }))).toEqual([
      "ERR_NAME_INVALID at project_name",
    ]);
  });

  test.each<[CtyObject, readonly string[]]>([
    [
      { ...BLOCK, base_url: "https://api.example.test/v1" },
      ["https://api.example.test/v1/x", "https://api.example.test/v1"],
    ],
    [{ ...BLOCK, base_url: "https://api.example.test" }, []],
    [BLOCK, ["https://anywhere.test"]],
  ])("is handed out for destinations under the base address: %#", async (block, destinations) => {
    const { get } = prepare({ block });
    const { result } = await get(way, { ...UNSET, scope: "account", destinations });
    expect(result).toMatchObject({ token: CANARY.token, destinations });
  });

  test.each<[Setup, string]>([
    [
      { block: { ...BLOCK, base_url: "https://api.example.test/v1" } },
      "ERR_DESTINATION_REFUSED at destinations",
    ],
    [
      { block: { base_url: "https://api.example.test/v1" }, variables: VARIABLES },
      "ERR_DESTINATION_REFUSED at destinations",
    ],
    [{ block: { ...BLOCK, base_url: UNKNOWN } }, "ERR_CREDENTIALS_UNKNOWN"],
    [{ block: { ...BLOCK, base_url: "https://api.example.test/?" } }, "ERR_ADDRESS_INVALID"],
  ])(
    "is not handed out for a destination elsewhere, and no secret is read: %#",
    async (setup, expected) => {
      const { get, identity } = prepare(setup);
      const destinations = ["https://api.example.test/v1/x", "https://api.example.test/v10"];
      const { result, diagnostics } = await get(way, { ...UNSET, scope: "account", destinations });
      expect(result).toBeUndefined();
      expect(brief(diagnostics)).toEqual([expected]);
      expect(identity.clients).toBe(0);
    },
  );

  test("accepts a project scope without a project when it is validated: the environment may name it", () => {
    const { ephemeral, data } = prepare();
    const validate = way === "ephemeral" ? ephemeral.validate : data.validate;
    expect(validate?.({ ...UNSET, scope: "project" })).toEqual([]);
  });

  test.each<[Setup, string]>([
    [{ block: { auth_url: UNKNOWN } }, "ERR_CREDENTIALS_UNKNOWN"],
    [{ block: {} }, "ERR_CREDENTIALS_MISSING"],
    [{ block: { auth_url: BLOCK.auth_url }, variables: VARIABLES }, "ERR_CREDENTIALS_MIXED"],
    [{ block: {}, variables: { ...VARIABLES, OS_PROJECT_ID: "1" } }, "ERR_CREDENTIALS_UNSUPPORTED"],
    [{ block: {}, variables: { OS_CLOUD: "x" } }, "ERR_CLOUD_NOT_FOUND"],
    [{ variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "" } }, "ERR_ADDRESS_NOT_ALLOWED"],
    [{ block: { ...BLOCK, password: null, password_env: "NONE" } }, "ERR_SECRET_MISSING"],
  ])("reports wrong credentials without a path into another block: %#", async (setup, code) => {
    const { get, identity } = prepare(setup);
    const { result, diagnostics } = await get(way, { ...UNSET, scope: "account" });
    expect(result).toBeUndefined();
    expect(brief(diagnostics)).toEqual([code]);
    expect(identity.clients).toBe(0);
  });

  test("passes the service's refusal on as one diagnostic", async () => {
    const { get, identity } = prepare();
    identity.onIssue = () =>
      Promise.reject(new IamTokensError("ERR_CREDENTIALS_REJECTED", "The service answered 401."));
    expect(brief((await get(way, { ...UNSET, scope: "account" })).diagnostics)).toEqual([
      "ERR_CREDENTIALS_REJECTED",
    ]);
  });

  test("reports a lifetime that is too short at min_remaining, if that was given", async () => {
    const { get, identity } = prepare();
    identity.onIssue = () =>
      Promise.reject(new IamTokensError("ERR_LIFETIME_TOO_SHORT", "1 h and 2 h."));
    const path = async (minRemaining: string | null) =>
      brief(
        (await get(way, { ...UNSET, scope: "account", min_remaining: minRemaining })).diagnostics,
      );
    expect(await path("2h")).toEqual(["ERR_LIFETIME_TOO_SHORT at min_remaining"]);
    expect(await path(null)).toEqual(["ERR_LIFETIME_TOO_SHORT"]);
  });

  test("turns the client's warnings into warnings", async () => {
    const { get, identity } = prepare();
    identity.onIssue = async () => ({ warnings: ["The clock is off by 5 min."] });
    const { result, diagnostics } = await get(way, { ...UNSET, scope: "account" });
    expect(result).toBeDefined();
    expect(diagnostics).toEqual([
      {
        severity: "warning",
        summary: "An IAM token was issued with a warning",
        detail: "The clock is off by 5 min.",
      },
    ]);
  });

  test("reports only the class of an unexpected error, even in the log", async () => {
    const { get, identity, context } = prepare();
    identity.onIssue = () => Promise.reject(new RangeError(CANARY.password));
    const { diagnostics } = await get(way, { ...UNSET, scope: "account" });
    expect(textOf(diagnostics)).toContain("RangeError");
    expect(context.logged.join()).toContain("RangeError");
    expect(textOf(diagnostics) + context.logged.join()).not.toContain("canary");
  });

  test("passes the operation's signal to the client", async () => {
    const { get, identity, context } = prepare();
    await get(way, { ...UNSET, scope: "account" });
    expect(identity.requests[0]?.signal).toBe(context.signal);
  });

  test("reads the password anew each time: a file that changed is a changed password", async () => {
    const folder = mkdtempSync(join(tmpdir(), "iam-password-"));
    try {
      const { password: _, ...rest } = BLOCK;
      const { get, identity } = prepare({
        block: { ...rest, password_file: join(folder, "password") },
      });
      for (const password of ["first\n", "second\n"]) {
        writeFileSync(join(folder, "password"), password);
        await get(way, { ...UNSET, scope: "account" });
      }
      expect(identity.requests.map(({ request }) => passwordIn(request.credential))).toEqual([
        "first",
        "second",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
