import { DataResource, TerraformOutput, TerraformVariable } from "cdktf";
import { SecretRef, ServiceUserToken, StaticTokenRef, TokenScope } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { ProductCall, ProductProvider } from "./product/constructs";
import { REQUESTS_OF_APPLY, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

const CALL = `node -e 'const { API_URL, HEADER_NAME, TOKEN } = process.env;
fetch(API_URL, { headers: { [HEADER_NAME]: TOKEN } }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(2))'`;

scenarios(
  "an ephemeral token",
  (stage) => {
    test("authenticates a provider by its block, for each kind under its own header", async () => {
      const { api } = stage();
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const web = new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project("web"),
          });
          const account = new ServiceUserToken(stack, "account", {
            identity,
            scope: TokenScope.account(),
          });
          const dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
          const byToken = new ProductProvider(stack, "web-api", {
            url: api.url,
            headerName: web.headerName,
            token: web.value,
            alias: "web",
          });
          const byHeaders = new ProductProvider(stack, "account-api", {
            url: api.url,
            headers: account.headers,
            alias: "account",
          });
          const byStatic = new ProductProvider(stack, "dns-api", {
            url: api.url,
            headers: dns.headers,
            alias: "dns",
          });
          const calls = [
            new ProductCall(stack, "call-web", "/projects/web", byToken),
            new ProductCall(stack, "call-account", "/account", byHeaders),
            new ProductCall(stack, "call-dns", "/dns", byStatic),
            new ProductCall(stack, "call-wrong", "/dns", byHeaders),
          ];
          for (const call of calls)
            new TerraformOutput(stack, `status_${call.node.id}`, { value: call.status });
        });
      });
      const folder = app.stackFolder("main");
      await stage().succeed(folder, ["init"]);
      await stage().succeed(folder, ["apply", "-auto-approve"]);
      const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
      const status = Object.fromEntries(
        Object.keys(outputs).map((name) => [name, outputs[name].value]),
      );
      expect(status).toEqual({
        "status_call-web": 200,
        "status_call-account": 200,
        "status_call-dns": 200,
        "status_call-wrong": 403,
      });
    });

    test("reaches a provisioner through its environment", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const web = new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project("web"),
          });
          new DataResource(stack, "call", {
            provisioners: [
              {
                type: "local-exec",
                command: CALL,
                environment: {
                  API_URL: `${stage().api.url}/projects/web`,
                  HEADER_NAME: web.headerName,
                  TOKEN: web.value,
                },
              },
            ],
          });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      const applied = await stage().succeed(app.stackFolder("main"), ["apply", "-auto-approve"]);
      expect(applied.text).toContain("1 added");
      expect(stage().api.journal).toMatchObject([
        { path: "/projects/web", headerName: "X-Auth-Token", status: 200 },
      ]);
    });

    test("can be a dependency, and is opened before its dependents", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const web = new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project("web"),
          });
          new DataResource(stack, "after", { dependsOn: [web], triggersReplace: ["1"] });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      const graph = await stage().succeed(app.stackFolder("main"), ["graph"]);
      await stage().succeed(app.stackFolder("main"), ["apply", "-auto-approve"]);
      expect(graph.stdout).toMatch(/terraform_data\.after" -> "ephemeral\.iam_token\.web"/);
      expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
    });

    test("takes account number, project and password from variables, and an ephemeral variable stays ephemeral", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const accountId = new TerraformVariable(stack, "account", { type: "string" });
          const project = new TerraformVariable(stack, "project", { type: "string" });
          const password = new TerraformVariable(stack, "password", {
            type: "string",
            sensitive: true,
          });
          password.addOverride("ephemeral", true);
          const identity = identityIn(stack, stage(), {
            accountId: accountId.stringValue,
            serviceUser: {
              name: "deployer",
              password: SecretRef.fromTerraform(password.stringValue),
            },
          });
          new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project(project.stringValue),
          });
        });
      });
      const env = {
        TF_VAR_account: "123456",
        TF_VAR_project: "web",
        TF_VAR_password: stage().password,
      };
      await stage().succeed(app.stackFolder("main"), ["init"], {});
      await stage().succeed(app.stackFolder("main"), ["apply", "-auto-approve"], env);
      expect(stage().identity.journal.at(-1)).toMatchObject({
        status: 201,
        scope: { kind: "project", project: "web", account: "123456" },
      });
    });

    test("is opened at apply if its project is known only then", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const made = new DataResource(stack, "made", { input: { project: "web" } });
          const web = new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project(`\${${made.fqn}.output.project}`),
          });
          new ProductProvider(stack, "api", { url: stage().api.url, headers: web.headers });
          new DataResource(stack, "call", {
            provisioners: [
              {
                type: "local-exec",
                command: CALL,
                environment: {
                  API_URL: `${stage().api.url}/projects/web`,
                  HEADER_NAME: web.headerName,
                  TOKEN: web.value,
                },
              },
            ],
          });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      await stage().succeed(app.stackFolder("main"), ["plan", "-out=saved"]);
      expect(stage().requests()).toBe(0);
      await stage().succeed(app.stackFolder("main"), ["apply", "saved"]);
      expect(stage().requests()).toBe(1);
      expect(stage().api.journal).toMatchObject([{ status: 200 }]);
    });

    test("of two identity services comes from its own, even in a nested construct", async () => {
      const other = await EmbeddedIdentityService.start({
        accountId: "654321",
        serviceUsers: [
          { name: "other", password: stage().password, permission: { account: true } },
        ],
      });
      try {
        const app = stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const one = identityIn(stack, stage());
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
            new ServiceUserToken(stack, "web", { identity: one, scope: TokenScope.project("web") });
            new ServiceUserToken(new DataResource(stack, "room"), "account", {
              identity: two,
              scope: TokenScope.account(),
            });
          });
        });
        await stage().succeed(app.stackFolder("main"), ["init"]);
        await stage().succeed(app.stackFolder("main"), ["plan"]);
        expect(stage().identity.journal.map(({ user, status }) => [user, status])).toEqual([
          ["deployer", 201],
        ]);
        expect(other.journal.map(({ user, status }) => [user, status])).toEqual([["other", 201]]);
      } finally {
        await other.stop();
      }
    });

    test("a hundred of one credential and scope need one request per plan", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          for (let n = 0; n < 100; n += 1)
            new ServiceUserToken(stack, `web-${n}`, { identity, scope: TokenScope.project("web") });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      await stage().succeed(app.stackFolder("main"), ["plan"]);
      expect(stage().requests()).toBe(1);
    });

    test("that is revoked on close is not shared, and is gone when Terraform is done", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          new ServiceUserToken(stack, "own", {
            identity,
            scope: TokenScope.project("web"),
            revokeOnClose: true,
          });
          new ServiceUserToken(stack, "shared", { identity, scope: TokenScope.project("web") });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      await stage().succeed(app.stackFolder("main"), ["plan"]);
      expect(stage().identity.journal.filter(({ method }) => method === "POST")).toHaveLength(2);
      const revoked = stage().identity.journal.filter(({ method }) => method === "DELETE");
      expect(revoked).toMatchObject([{ status: 204 }]);
      const tokens = stage().identity.issuedTokens();
      expect(tokens.map((token) => stage().identity.isValid(token)).sort()).toEqual([false, true]);
    });

    test("that is revoked on close is revoked even if its consumer fails, when Terraform never closes it", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const own = new ServiceUserToken(stack, "own", {
            identity,
            scope: TokenScope.project("web"),
            revokeOnClose: true,
          });
          new DataResource(stack, "call", {
            provisioners: [
              {
                type: "local-exec",
                command: 'test -z "$TOKEN"',
                environment: { TOKEN: own.value },
              },
            ],
          });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      expect(
        (await stage().terraform(app.stackFolder("main"), ["apply", "-auto-approve"])).exitCode,
      ).toBe(1);
      const tokens = stage().identity.issuedTokens();
      expect(tokens).toHaveLength(2);
      expect(tokens.filter((token) => stage().identity.isValid(token))).toEqual([]);
    });

    test("is opened anew when a saved plan is applied", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          const web = new ServiceUserToken(stack, "web", {
            identity,
            scope: TokenScope.project("web"),
          });
          new DataResource(stack, "after", { dependsOn: [web] });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"]);
      await stage().succeed(app.stackFolder("main"), ["plan", "-out=saved"]);
      expect(stage().requests()).toBe(1);
      await stage().succeed(app.stackFolder("main"), ["apply", "saved"]);
      expect(stage().requests()).toBe(1);
      await stage().succeed(app.stackFolder("main"), ["destroy", "-auto-approve"]);
    });

    test("in an output is refused when the program is synthesized, before Terraform would", () => {
      const build = () =>
        stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const identity = identityIn(stack, stage());
            const web = new ServiceUserToken(stack, "web", {
              identity,
              scope: TokenScope.project("web"),
            });
            new TerraformOutput(stack, "leak", { value: web.value, sensitive: true });
          });
        });
      expect(build).toThrow(/main\/leak \(value\)[\s\S]*\[ERR_EPHEMERAL_OUTPUT\]/);
    });

    test("needs no secret for validate", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          const identity = identityIn(stack, stage());
          new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
          new StaticTokenRef(stack, "dns", { source: SecretRef.file("/nowhere/at/all") });
        });
      });
      await stage().succeed(app.stackFolder("main"), ["init"], {});
      const validated = await stage().succeed(app.stackFolder("main"), ["validate"], {});
      expect(validated.text).toContain("The configuration is valid");
      expect(stage().requests()).toBe(0);
    });
  },
  { consumers: true },
);
