import { DataResource, TerraformOutput, type TerraformStack, TerraformVariable } from "cdktf";
import { SecretRef, ServiceUserToken, StaticTokenRef, TokenScope } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { ProductCall, ProductProvider } from "./product/constructs";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, localExec, webToken } from "./stacks";

const CALL = `node -e 'const { API_URL, HEADER_NAME, TOKEN } = process.env;
fetch(API_URL, { headers: { [HEADER_NAME]: TOKEN } }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(2))'`;

/** A resource whose provisioner calls the product API with a token. */
const called = (stack: TerraformStack, { api }: Scenario, token: ServiceUserToken) =>
  new DataResource(
    stack,
    "call",
    localExec(CALL, {
      API_URL: `${api.url}/projects/web`,
      HEADER_NAME: token.headerName,
      TOKEN: token.value,
    }),
  );

const validity = ({ identity }: Scenario) =>
  identity.issuedTokens().map((token) => identity.isValid(token));

const APPLY = ["apply", "-auto-approve"];

interface Case {
  readonly stack: (stack: TerraformStack, stage: Scenario) => void;
  /** Commands after init, each with the number of tokens that it requests. */
  readonly commands: readonly (readonly [args: readonly string[], requests: number])[];
  readonly env?: (stage: Scenario) => Readonly<Record<string, string>>;
  /** @param printed by the last command */
  readonly seen?: (stage: Scenario, printed: string) => void;
}

const CASES: Readonly<Record<string, Case>> = {
  "reaches a provisioner through its environment": {
    stack: (stack, stage) => called(stack, stage, webToken(stack, stage)),
    commands: [[APPLY, REQUESTS_OF_APPLY]],
    seen: ({ api }, printed) => {
      expect(printed).toContain("1 added");
      expect(api.journal).toMatchObject([
        { path: "/projects/web", headerName: "X-Auth-Token", status: 200 },
      ]);
    },
  },
  "can be a dependency, and is opened before its dependents": {
    stack: (stack, stage) =>
      new DataResource(stack, "after", {
        dependsOn: [webToken(stack, stage)],
        triggersReplace: ["1"],
      }),
    commands: [
      [APPLY, REQUESTS_OF_APPLY],
      [["graph"], 0],
    ],
    seen: (_, printed) =>
      expect(printed).toMatch(
        /terraform_data\.after[^"]*" -> "(\[root\] )?ephemeral\.iam_token\.web/,
      ),
  },
  "takes account number, project and password from variables, and an ephemeral variable stays ephemeral":
    {
      stack: (stack, stage) => {
        const type = "string";
        const accountId = new TerraformVariable(stack, "account", { type }).stringValue;
        const project = new TerraformVariable(stack, "project", { type });
        const variable = new TerraformVariable(stack, "password", { type, sensitive: true });
        variable.addOverride("ephemeral", true);
        const password = SecretRef.fromTerraform(variable.stringValue);
        webToken(stack, stage, {
          identity: identityIn(stack, stage, {
            accountId,
            serviceUser: { name: "deployer", password },
          }),
          scope: TokenScope.project(project.stringValue),
        });
      },
      env: ({ password }) => ({
        TF_VAR_account: "123456",
        TF_VAR_project: "web",
        TF_VAR_password: password,
      }),
      commands: [[APPLY, REQUESTS_OF_APPLY]],
      seen: ({ identity }) =>
        expect(identity.journal.at(-1)).toMatchObject({
          status: 201,
          scope: { kind: "project", project: "web", account: "123456" },
        }),
    },
  "is opened at apply if its project is known only then": {
    stack: (stack, stage) => {
      const made = new DataResource(stack, "made", { input: { project: "web" } });
      const scope = TokenScope.project(`\${${made.fqn}.output.project}`);
      const web = webToken(stack, stage, { scope });
      new ProductProvider(stack, "api", { url: stage.api.url, headers: web.headers });
      called(stack, stage, web);
    },
    commands: [
      [["plan", "-out=saved"], 0],
      [["apply", "saved"], 1],
    ],
    seen: ({ api }) => expect(api.journal).toMatchObject([{ status: 200 }]),
  },
  "a hundred of one credential and scope need one request per plan": {
    stack: (stack, stage) => {
      const identity = identityIn(stack, stage);
      for (let n = 0; n < 100; n += 1) webToken(stack, stage, { id: `web-${n}`, identity });
    },
    commands: [[["plan"], 1]],
  },
  "of three provider blocks of one credential is one request, where launches share a server": {
    stack: (stack, stage) => {
      for (const id of ["one", "two", "three"])
        webToken(stack, stage, { id: `web-${id}`, identity: identityIn(stack, stage, {}, id) });
    },
    commands: [[APPLY, REQUESTS_OF_APPLY === 1 ? 1 : 6]],
  },
  "that is revoked on close is not shared, and is gone when Terraform is done": {
    stack: (stack, stage) => {
      const identity = identityIn(stack, stage);
      webToken(stack, stage, { id: "own", identity, revokeOnClose: true });
      webToken(stack, stage, { id: "shared", identity });
    },
    commands: [[["plan"], 2]],
    seen: (stage) => {
      const revoked = stage.identity.journal.filter(({ method }) => method === "DELETE");
      expect(revoked).toMatchObject([{ status: 204 }]);
      expect(validity(stage).sort()).toEqual([false, true]);
    },
  },
  "is opened anew when a saved plan is applied": {
    stack: (stack, stage) =>
      new DataResource(stack, "after", { dependsOn: [webToken(stack, stage)] }),
    commands: [
      [["plan", "-out=saved"], 1],
      [["apply", "saved"], 1],
      [["destroy", "-auto-approve"], REQUESTS_OF_APPLY],
    ],
  },
  "needs no secret for validate": {
    stack: (stack, stage) => {
      webToken(stack, stage);
      new StaticTokenRef(stack, "dns", { source: SecretRef.file("/nowhere/at/all") });
    },
    env: () => ({}),
    commands: [[["validate"], 0]],
    seen: (_, printed) => expect(printed).toContain("The configuration is valid"),
  },
};

scenarios(
  "an ephemeral token",
  (stage) => {
    test.each(Object.entries(CASES))("%s", async (_name, { stack, commands, env, seen }) => {
      const folder = await initialized(stage(), (built) => void stack(built, stage()));
      const given = env?.(stage());
      let printed = "";
      for (const [args, requests] of commands) {
        printed = (await stage().succeed(folder, args, given)).text;
        expect([args, stage().requests()]).toEqual([args, requests]);
      }
      seen?.(stage(), printed);
    });

    test("authenticates a provider by its block, for each kind under its own header", async () => {
      const { url } = stage().api;
      const folder = await initialized(stage(), (stack) => {
        const identity = identityIn(stack, stage());
        const web = webToken(stack, stage(), { identity });
        const account = webToken(stack, stage(), {
          id: "account",
          identity,
          scope: TokenScope.account(),
        });
        const dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
        const { headerName, value: token } = web;
        const [byToken, byHeaders, byStatic] = Object.entries({
          web: { headerName, token },
          account: { headers: account.headers },
          dns: { headers: dns.headers },
        }).map(
          ([alias, how]) => new ProductProvider(stack, `${alias}-api`, { url, alias, ...how }),
        );
        for (const call of [
          new ProductCall(stack, "call-web", "/projects/web", byToken),
          new ProductCall(stack, "call-account", "/account", byHeaders),
          new ProductCall(stack, "call-dns", "/dns", byStatic),
          new ProductCall(stack, "call-wrong", "/dns", byHeaders),
        ])
          new TerraformOutput(stack, `status_${call.node.id}`, { value: call.status });
      });
      await stage().succeed(folder, APPLY);
      const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
      expect(outputs).toMatchObject({
        "status_call-web": { value: 200 },
        "status_call-account": { value: 200 },
        "status_call-dns": { value: 200 },
        "status_call-wrong": { value: 403 },
      });
    });

    test("of two identity services comes from its own, even in a nested construct", async () => {
      const { password } = stage();
      const other = await EmbeddedIdentityService.start({
        accountId: "654321",
        serviceUsers: [{ name: "other", password, permission: { account: true } }],
      });
      try {
        const folder = await initialized(stage(), (stack) => {
          webToken(stack, stage());
          const two = identityIn(
            stack,
            stage(),
            {
              authUrl: other.authUrl,
              accountId: "654321",
              serviceUser: { name: "other", password: SecretRef.env("SERVICE_USER_PASSWORD") },
            },
            "two",
          );
          new ServiceUserToken(new DataResource(stack, "room"), "account", {
            identity: two,
            scope: TokenScope.account(),
          });
        });
        await stage().succeed(folder, ["plan"]);
        const users = ({ journal }: EmbeddedIdentityService) =>
          journal.map(({ user, status }) => [user, status]);
        expect(users(stage().identity)).toEqual([["deployer", 201]]);
        expect(users(other)).toEqual([["other", 201]]);
      } finally {
        await other.stop();
      }
    });

    test("that is revoked on close is revoked even if its consumer fails, when Terraform never closes it", async () => {
      const folder = await initialized(stage(), (stack) => {
        const own = webToken(stack, stage(), { revokeOnClose: true });
        new DataResource(stack, "call", localExec('test -z "$TOKEN"', { TOKEN: own.value }));
      });
      expect((await stage().terraform(folder, APPLY)).exitCode).toBe(1);
      expect(validity(stage())).toEqual([false, false]);
    });
  },
  { consumers: true },
);
