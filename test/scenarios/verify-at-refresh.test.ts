import type { Intercept } from "../../lib/testing";
import { onOneLine, providerBlock, scenarios, writeModule } from "./world";

const TOKEN = (verify: string) => `resource "iam_token" "ci" {
  scope = "account"
  ${verify}
}
output "token" {
  value     = iam_token.ci.token
  sensitive = true
}
`;

// docs/rotating-resources.md: the same plan rotates what is gone
scenarios(
  "a stored token that the service no longer knows",
  (stage) => {
    const made = async (verify: string) => {
      const folder = stage().module("");
      writeModule(folder, providerBlock(stage()) + TOKEN(verify));
      await stage().succeed(folder, "apply -auto-approve");
      return folder;
    };
    const token = async (folder: string) => String((await stage().outputs(folder)).token?.value);
    const { revoke, change } = {
      revoke: async (value: string) => {
        await fetch(`${stage().identity.authUrl}/identity/v3/auth/tokens`, {
          method: "DELETE",
          headers: { "X-Auth-Token": value, "X-Subject-Token": value },
        });
      },
      change: async () => {
        stage().secrets.SERVICE_USER_PASSWORD = "canary-second";
        stage().identity.user("deployer").changePassword("canary-second");
        // As in Keystone, it ends the tokens of the same second.
        stage().clock.now += 1_000;
      },
    };
    const planned = async (folder: string, more = "") => {
      const { exitCode, text } = await stage().terraform(
        folder,
        `plan -no-color -detailed-exitcode${more}`,
      );
      return { exitCode, text: onOneLine(text) };
    };

    test.each([
      ["revoked", revoke],
      ["ended by another password", change],
    ])(
      "because it was %s is rotated by the next apply, after which nothing is due",
      async (_, end) => {
        const folder = await made("verify_at_refresh = true");
        expect((await planned(folder)).exitCode).toBe(0);
        const old = await token(folder);
        await end(old);
        expect(stage().identity.isValid(old)).toBe(false);
        const drift = await planned(folder, " -refresh-only");
        expect(drift.exitCode).toBe(2);
        expect(drift.text).toContain("iam_token.ci has changed");
        const { exitCode, text } = await planned(folder);
        expect(exitCode).toBe(2);
        expect(text).toContain("The service refuses the stored token");
        expect((await planned(folder, " -refresh=false")).exitCode).toBe(0);
        await stage().succeed(folder, "apply -auto-approve");
        expect(stage().identity.isValid(await token(folder))).toBe(true);
        expect((await planned(folder)).exitCode).toBe(0);
      },
    );

    test("is not noticed without verify_at_refresh, which asks nothing", async () => {
      const folder = await made("");
      await revoke(await token(folder));
      stage().requests();
      expect((await planned(folder)).exitCode).toBe(0);
      expect(stage().requests()).toBe(0);
    });
  },
  { clock: true },
);

const HTML = [["Content-Type", "text/html"]] as const;
let answer: Intercept = (_, serve) => serve();
let [asked, atOnce, most] = [0, 0, 0];

// docs/rotating-resources.md: is a warning, and nothing changes
scenarios(
  "thirty stored tokens, and a service that",
  (stage) => {
    test.each<[string, Intercept, requests: number]>([
      ["knows them", (_, serve) => serve(), 30],
      ["answers 405", () => ({ status: 405 }), 30],
      ["answers a page that is not Keystone's", () => ({ status: 404, headers: HTML }), 30],
      // After the first ones, nobody waits.
      ["does not answer", () => ({ cut: "silence" }), 10],
    ])("%s: the plan is empty", async (what, reaction, requests) => {
      const folder = stage().module("");
      answer = (_, serve) => serve();
      const tokens = TOKEN("verify_at_refresh = true\n  count = 30").split("output")[0];
      writeModule(folder, providerBlock(stage()) + tokens);
      await stage().succeed(folder, "init");
      await stage().succeed(folder, "apply -auto-approve");
      [asked, most] = [0, 0];
      answer = reaction;
      const { exitCode, text } = await stage().terraform(folder, "plan -detailed-exitcode");
      expect(exitCode).toBe(0);
      expect(text.includes("could not be verified")).toBe(what !== "knows them");
      expect(asked).toBeLessThanOrEqual(requests);
      expect(asked).toBeGreaterThanOrEqual(requests === 30 ? 30 : 1);
      expect(most).toBeLessThanOrEqual(8);
    });
  },
  {
    options: {
      intercept: async (request, serve) => {
        if (request.method !== "HEAD") return serve();
        asked += 1;
        atOnce += 1;
        most = Math.max(most, atOnce);
        // Others have time to come.
        await new Promise((resolve) => setTimeout(resolve, 50));
        atOnce -= 1;
        return answer(request, serve);
      },
    },
  },
);
