import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EmbeddedIdentityService } from "../../lib/testing";
import { CONFORMANCE, conformanceSuite, countCases } from "./conformance/suite";
import { namesOperatorService, needsWithout, openOperatorService } from "./operator-service";

const PASSWORD = "canary-password-of-conformance";

/** A stranger's service, as an operator would have one: one user, one project. */
function startStranger(): Promise<EmbeddedIdentityService> {
  return EmbeddedIdentityService.start({
    accountId: "654321",
    serviceUsers: [
      {
        name: "conformance",
        password: PASSWORD,
        permission: { account: true, projects: ["shop"] },
      },
      { name: "narrow", password: PASSWORD, permission: { projects: ["shop"] } },
    ],
  });
}

const environmentOf = (authUrl: string, changed: Record<string, string | undefined> = {}) => ({
  IAM_TOKENS_CONFORMANCE_URL: authUrl,
  IAM_TOKENS_CONFORMANCE_ACCOUNT: "654321",
  IAM_TOKENS_CONFORMANCE_USER: "conformance",
  IAM_TOKENS_CONFORMANCE_PASSWORD: PASSWORD,
  IAM_TOKENS_CONFORMANCE_PROJECT: "shop",
  ...changed,
});

if (namesOperatorService(process.env)) {
  // Neither address nor user: the output of a run may be public.
  describe("the operator's service", () => {
    conformanceSuite(
      CONFORMANCE,
      () => openOperatorService(process.env),
      needsWithout(process.env),
    );
  });
} else {
  describe("a service of which only an address and a user are known", () => {
    let stranger: EmbeddedIdentityService;
    conformanceSuite(
      CONFORMANCE,
      async () => {
        stranger = await startStranger();
        return {
          ...(await openOperatorService(environmentOf(stranger.authUrl))),
          stop: () => stranger.stop(),
        };
      },
      needsWithout(environmentOf("")),
    );

    test("receives only requests to issue and to show", () => {
      const asked = new Set(
        stranger.journal.map(
          ({ method, path }) => `${method} ${path.replace(/\/{2,}/g, "/").replace(/\/$/, "")}`,
        ),
      );
      const changing = [...asked].filter((line) => !/^(GET|HEAD|OPTIONS) /.test(line)).sort();
      expect(changing).toEqual([
        "POST /identity",
        "POST /identity/v3/auth/tokens",
        "POST /identity/v3/no-such",
      ]);
      expect(stranger.journal.length).toBeGreaterThan(100);
    });

    test("never sends a wrong password of its user, which could lock the user", () => {
      const reasons = new Set(stranger.journal.map(({ reason }) => reason));
      for (const reason of ["wrong_password", "user_locked"] as const)
        expect(reasons).not.toContain(reason);
    });
  });
}

describe("the cases that are left out", () => {
  test("are cases that change, that may lock, and that need our users; without a project, those of projects", () => {
    const withProject = countCases(CONFORMANCE, needsWithout(environmentOf("")));
    const without = countCases(
      CONFORMANCE,
      needsWithout(environmentOf("", { IAM_TOKENS_CONFORMANCE_PROJECT: "" })),
    );
    expect([countCases(CONFORMANCE) > withProject, withProject > without, without > 100]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe("reports a service that does not fit the suite in one sentence, and sends no further request", () => {
  let stranger: EmbeddedIdentityService;
  let other: Server;
  let otherUrl = "";
  let page: { readonly status: number; readonly body: string } = { status: 200, body: "" };
  beforeAll(async () => {
    stranger = await startStranger();
    other = createServer((_request, response) => {
      response.writeHead(page.status, { "Content-Type": "text/html" }).end(page.body);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await stranger.stop();
    await new Promise((resolve) => other.close(resolve));
  });
  beforeEach(() => stranger.clearJournal());

  async function problemOf(
    authUrl: string,
    changed: Record<string, string | undefined> = {},
  ): Promise<string> {
    const error: unknown = await openOperatorService(environmentOf(authUrl, changed)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(String((error as Error).stack)).not.toContain("canary");
    return (error as Error).message;
  }

  test.each([
    [{ status: 404, body: "not found" }, "answered 404."],
    [{ status: 200, body: "<html>It works!</html>" }, "answered with something that is not JSON."],
    [{ status: 200, body: "null" }, "answered without a version v3."],
    [{ status: 200, body: '{"version": {"id": "v2.0"}}' }, "answered without a version v3."],
    [{ status: 302, body: "" }, "answered 302."],
  ])("%j is not a Keystone", async (answer, problem) => {
    page = answer;
    expect(await problemOf(otherUrl)).toBe(
      `${otherUrl} is not a Keystone: GET ${otherUrl}/identity/v3 was ${problem}`,
    );
  });

  test("nobody listens", async () => {
    const gone = await EmbeddedIdentityService.start({ accountId: "1", serviceUsers: [] });
    await gone.stop();
    expect(await problemOf(gone.authUrl)).toBe(`${gone.authUrl} cannot be reached (ECONNREFUSED).`);
  });

  test("an address that a stack would refuse", async () => {
    expect(await problemOf("http://cloud.api.example.com")).toContain(
      "uses http, but is not on this machine",
    );
  });

  test.each([
    [
      "a wrong password",
      { IAM_TOKENS_CONFORMANCE_PASSWORD: "canary-wrong" },
      'no account token to "conformance" of account "654321" (401)',
    ],
    [
      "no permission for the account",
      { IAM_TOKENS_CONFORMANCE_USER: "narrow" },
      'no account token to "narrow" of account "654321" (401)',
    ],
    ["another account", { IAM_TOKENS_CONFORMANCE_ACCOUNT: "1" }, "(401)"],
  ])("%s: one request for a token, and no more", async (_what, changed, problem) => {
    expect(await problemOf(stranger.authUrl, changed)).toContain(problem);
    expect(stranger.journal.map(({ method, status }) => [method, status])).toEqual([
      ["GET", 200],
      ["POST", 401],
    ]);
  });

  test("a missing project", async () => {
    expect(await problemOf(stranger.authUrl, { IAM_TOKENS_CONFORMANCE_PROJECT: "web" })).toContain(
      'no token for project "web"',
    );
  });

  test.each([
    ["ACCOUNT", "", "IAM_TOKENS_CONFORMANCE_ACCOUNT is not set."],
    ["USER", undefined, "IAM_TOKENS_CONFORMANCE_USER is not set."],
    ["PASSWORD", undefined, "IAM_TOKENS_CONFORMANCE_PASSWORD is not set."],
    [
      "PASSWORD_FILE",
      "/no-such-folder/password",
      "The file of IAM_TOKENS_CONFORMANCE_PASSWORD_FILE cannot be read (ENOENT).",
    ],
    ["CA_FILE", "/", "The file of IAM_TOKENS_CONFORMANCE_CA_FILE cannot be read (EISDIR)."],
  ])("%s of %j is reported before anything is sent", async (name, value, problem) => {
    expect(await problemOf(stranger.authUrl, { [`IAM_TOKENS_CONFORMANCE_${name}`]: value })).toBe(
      problem,
    );
    expect(stranger.journal).toEqual([]);
  });
});
