import { EmbeddedIdentityService } from "../../../lib/testing";
import { ACCOUNT, scenarios } from "../../scenarios/scenario";
import { goClient } from "../../support/go-clients";
import { testIf } from "../../support/skips";
import { expectNoSecret, recipeStage } from "./recipe-stage";

jest.setTimeout(300_000);

scenarios("a recipe with a provider of others", (stage) => {
  const { api, open, closeAfterwards } = recipeStage(stage);

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
            name: "swift",
            endpoints: [
              { interface: "public", region: "RegionOne", url: `${api().url}/v1/AUTH_web/` },
            ],
          },
        ],
      });
      closeAfterwards({ url: identity.authUrl, calls: [], close: () => identity.stop() });
      const recipe = await open("openstack", { AUTH_URL: identity.authUrl });
      await recipe.cdktf(["deploy", "--auto-approve"]);
      const put = api().calls.find(({ method }) => method === "PUT");
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
    const recipe = await open("rest-api", { API_URL: api().url });
    await recipe.cdktf(["deploy", "--auto-approve"]);
    const kinds = Object.fromEntries(
      api().calls.map(({ path, headers }) => {
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
});
