import { EmbeddedIdentityService, scanForLeaks } from "../../../lib/testing";
import { ACCOUNT, type Scenario, scenarios } from "../../scenarios/scenario";
import { goClient } from "../../support/go-clients";
import { blocksOf, readPage } from "../../support/pages";
import { testIf } from "../../support/skips";
import { type LocalService, serveApi } from "./local-services";
import { openRecipe, type Recipe } from "./recipe";
import { type StandIns, serveStandIns } from "./stand-ins";

jest.setTimeout(300_000);

/** Nothing that the project has, or that was printed, holds the password or a token. */
function expectNoSecret({ identity, password, staticToken }: Scenario, recipe: Recipe): void {
  const tokens = Object.fromEntries(identity.issuedTokens().entries());
  const { findings } = scanForLeaks({
    canaries: { password, staticToken, ...tokens },
    folders: [recipe.folder],
  });
  expect(findings).toEqual([]);
}

scenarios("a recipe with a provider of others", (stage) => {
  let standIns: StandIns;
  let api: LocalService;
  let recipe: Recipe | undefined;
  const closing: LocalService[] = [];
  beforeAll(async () => {
    standIns = await serveStandIns(goClient("the sign-in of the OpenStack provider") ?? "");
  });
  afterAll(() => standIns.close());
  beforeEach(async () => {
    api = await serveApi();
    closing.push(api);
  });
  afterEach(async () => {
    recipe?.remove();
    for (const each of closing.splice(0)) await each.close();
  });

  const open = async (name: string, env: Readonly<Record<string, string>>) => {
    recipe = await openRecipe(stage(), name, {
      ...standIns.env,
      ...stage().secrets,
      AUTH_URL: stage().identity.authUrl,
      ...env,
    });
    return recipe;
  };

  testIf(
    goClient("the sign-in of the OpenStack provider") !== null,
    "the sign-in of the OpenStack provider is not built here",
  )(
    "openstack: the provider uses the project token itself, makes none of its own, and the revocation ends all",
    async () => {
      const { password } = stage();
      const permission = { account: true, projects: ["web"] };
      const identity = await EmbeddedIdentityService.start({
        accountId: ACCOUNT,
        serviceUsers: [{ name: "deployer", password, permission }],
        catalog: [
          {
            type: "object-store",
            endpoints: [{ interface: "public", url: `${api.url}/v1/AUTH_web/` }],
          },
        ],
      });
      closing.push({ url: identity.authUrl, calls: [], close: () => identity.stop() });
      const recipe = await open("openstack", { AUTH_URL: identity.authUrl });
      await recipe.cdktf(["deploy", "--auto-approve"]);
      const put = api.calls.find(({ method }) => method === "PUT");
      expect(put?.path).toBe("/v1/AUTH_web/backups");
      const methods = identity.journal.map(({ method, path }) => `${method} ${path}`);
      // Each was issued for the service user, and validated or revoked; none in exchange.
      expect(identity.describeToken(String(put?.headers["x-auth-token"]))).toMatchObject({
        status: "revoked",
        kind: "iam_token_project_scoped",
        project: "web",
      });
      expect(methods.filter((each) => each.startsWith("POST"))).toHaveLength(
        methods.filter((each) => each.startsWith("DELETE")).length,
      );
      expect(identity.issuedTokens().filter((token) => identity.isValid(token))).toEqual([]);
      expectNoSecret({ ...stage(), identity }, recipe);
    },
  );

  test("rest-api: each product area gets its kind of token, in its header", async () => {
    const recipe = await open("rest-api", { API_URL: api.url });
    await recipe.cdktf(["deploy", "--auto-approve"]);
    const kinds = Object.fromEntries(
      api.calls.map(({ path, headers }) => {
        const iam = stage().identity.describeToken(String(headers["x-auth-token"]));
        const fixed = headers["x-token"] === stage().staticToken ? "static_token" : undefined;
        return [path, iam.status === "unknown" ? fixed : iam.kind];
      }),
    );
    expect(kinds).toEqual({
      "/users/objects": "iam_token_account_scoped",
      "/databases/objects": "iam_token_project_scoped",
      "/zones/objects": "static_token",
    });
    expectNoSecret(stage(), recipe);
  });

  test("vault: the token is pushed by a write-only argument, and again when it rotates", async () => {
    const recipe = await open("vault", { VAULT_ADDR: api.url });
    // The page on CDK Terrain says what that needs for write-only arguments.
    const [settings] = blocksOf("docs/terrain.md", "json").slice(-1);
    expect(JSON.parse(readPage("examples/vault/cdktf.json"))).toMatchObject(
      JSON.parse(settings?.text ?? ""),
    );
    const pushed = () =>
      api.calls.map(({ path, body }) => {
        expect(path).toBe("/v1/kv/data/web/api-token");
        return JSON.parse(body).data as { readonly token: string; readonly header: string };
      });
    await recipe.cdktf(["deploy", "--auto-approve"]);
    await recipe.cdktf(["deploy", "--auto-approve"]);
    expect(pushed()).toHaveLength(1);
    await recipe.cdktf(["deploy", "--auto-approve"], { RELEASE: "2" });
    const [first, second] = pushed();
    expect(second?.token).not.toBe(first?.token);
    for (const each of [first, second]) {
      expect(each?.header).toBe("X-Auth-Token");
      expect(stage().identity.describeToken(each?.token ?? "")).toMatchObject({
        status: "valid",
        project: "web",
      });
    }
    expectNoSecret(stage(), recipe);
  });
});
