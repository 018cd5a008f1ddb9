import { DataResource } from "cdktf";
import { SecretRef, StaticTokenRef, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { callProduct } from "./product";
import { identityIn, localExec, REQUESTS_OF_APPLY, scenarios, webToken } from "./world";

// README.md: By default a token is written nowhere
scenarios(
  "ephemeral tokens and the password",
  (stage) => {
    test("are nowhere after all commands at TRACE, although each token was used in the header of its kind", async () => {
      const { api, identity, calls, leaks, trace } = stage();
      const folder = stage().stack((stack) => {
        const service = identityIn(stack, stage());
        const tokens = {
          web: webToken(stack, stage(), { identity: service }),
          account: webToken(stack, stage(), {
            id: "account",
            identity: service,
            scope: TokenScope.account(),
          }),
          dns: new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") }),
        };
        for (const [name, { headers }] of Object.entries(tokens))
          callProduct(stack, `/${name}`, { ...api, headers }, `status-${name}`);
        const environment = { WEB: tokens.web.value, DNS: tokens.dns.value };
        new DataResource(stack, "made", localExec('test -n "$WEB$DNS"', environment));
      });
      const commands = [
        ...["init", "validate", "plan -out=saved", "show -json saved", "apply saved"],
        ...["show -json", "plan -destroy -out=saved", "apply saved"],
      ];
      const texts = await trace(folder, commands, { ...stage().secrets, TF_LOG: "TRACE" });
      expect(identity.issuedTokens().length).toBeGreaterThan(2);
      expect(new Set(calls())).toEqual(
        new Set(["/web project web 200", "/account account 200", "/dns static 200"]),
      );
      // The trace exists, and includes the provider's.
      expect(texts["apply saved: log"]).toMatch(/provider\.(iam|terraform-provider-iam)/);
      expect(leaks(texts)).toEqual([]);
    });

    test("share nothing with a data token of the same credential and scope: only that one is in the state", async () => {
      const folder = await stage().initialized((stack) => {
        const identity = identityIn(stack, stage());
        webToken(stack, stage(), { identity });
        const resolution = TokenResolution.data();
        const token = webToken(stack, stage(), { id: "shared", identity, resolution });
        new TokenOutputs(stack, "ci", { token });
      });
      await stage().succeed(folder, "apply -auto-approve");
      // Plan: one of each; apply: the ephemeral one again.
      expect(stage().requests()).toBe(1 + REQUESTS_OF_APPLY);
      expect(stage().leaks()).toEqual([expect.stringMatching(/^token \d: terraform\.tfstate$/)]);
    });
  },
  { consumers: true },
);

const REQUEST_ID = "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01";

// SECURITY.md: messages repeat only the status
scenarios(
  "the request for a token, which a service that fails echoes in header and body,",
  (stage) => {
    test("is nowhere, not even in a log", async () => {
      const folder = await stage().initialized((stack) => void webToken(stack, stage()));
      const env = { ...stage().secrets, TF_LOG: "TRACE" };
      const { exitCode, stdout, stderr } = await stage().terraform(folder, "plan", env);
      expect(exitCode).toBe(1);
      // Of what the service answers, a message has this alone.
      expect(stdout + stderr).toContain(REQUEST_ID);
      expect(stage().leaks({ stdout, stderr })).toEqual([]);
    });
  },
  {
    options: {
      intercept: ({ headers, body }) => ({
        status: 400,
        headers: [
          ["x-openstack-request-id", REQUEST_ID],
          ["x-echo", JSON.stringify(headers) + body],
        ],
        body,
      }),
    },
  },
);
