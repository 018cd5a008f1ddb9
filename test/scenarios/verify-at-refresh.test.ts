import type { Intercept } from "../../lib/testing";
import { statusOf } from "../testing/identity-client-of-a-test";
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

// docs/rotation.md: the same plan rotates what is gone
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
    const revoke = (value: string) => statusOf(stage().identity, "DELETE", value, value);
    const planned = async (folder: string, more = "") => {
      const { exitCode, text } = await stage().terraform(
        folder,
        `plan -no-color -detailed-exitcode${more}`,
      );
      return { exitCode, text: onOneLine(text) };
    };

    test("because it was revoked is rotated by the next apply, after which nothing is due", async () => {
      const folder = await made("verify_at_refresh = true");
      expect((await planned(folder)).exitCode).toBe(0);
      const old = await token(folder);
      await revoke(old);
      expect(stage().identity.isValid(old)).toBe(false);
      const drift = await planned(folder, " -refresh-only");
      expect(drift.exitCode).toBe(2);
      expect(drift.text).toContain("iam_token.ci has changed");
      const { exitCode, text } = await planned(folder);
      expect(exitCode).toBe(2);
      expect(text).toContain("The service refuses a stored token");
      expect((await planned(folder, " -refresh=false")).exitCode).toBe(0);
      await stage().succeed(folder, "apply -auto-approve");
      expect(stage().identity.isValid(await token(folder))).toBe(true);
      expect((await planned(folder)).exitCode).toBe(0);
    });

    test("in the night is rotated by the deploy that begins to ask", async () => {
      const folder = await made("");
      const old = await token(folder);
      await revoke(old);
      writeModule(folder, providerBlock(stage()) + TOKEN("verify_at_refresh = true"));
      await stage().succeed(folder, "apply -auto-approve");
      expect(stage().identity.isValid(await token(folder))).toBe(true);
      expect((await planned(folder)).exitCode).toBe(0);
    });
  },
  { clock: true },
);

const HTML = [["Content-Type", "text/html"]] as const;

/** Answers questions about tokens, and counts them. */
class Asked {
  answer: Intercept = (_, serve) => serve();
  count = 0;
  most = 0;
  #atOnce = 0;

  readonly intercept: Intercept = async (request, serve) => {
    if (request.method !== "HEAD") return serve();
    this.count += 1;
    this.#atOnce += 1;
    this.most = Math.max(this.most, this.#atOnce);
    // Others have time to come.
    await new Promise((resolve) => setTimeout(resolve, 50));
    this.#atOnce -= 1;
    return this.answer(request, serve);
  };
}
const asked = new Asked();

// docs/rotation.md: is a warning, and nothing changes
scenarios(
  "thirty stored tokens, and a service that",
  (stage) => {
    test("knows them, answers something else or nothing: the plan is empty, and of many without an answer few are asked", async () => {
      const folder = stage().module("");
      const tokens = TOKEN("verify_at_refresh = true\n  count = 30").split("output")[0];
      writeModule(folder, providerBlock(stage()) + tokens);
      await stage().succeed(folder, "init");
      await stage().succeed(folder, "apply -auto-approve");
      for (const [what, answer, requests] of [
        ["knows them", (_, serve) => serve(), 30],
        ["answers 405", () => ({ status: 405 }), 30],
        ["answers a page that is not Keystone's", () => ({ status: 404, headers: HTML }), 30],
        // After the first ones, nobody waits.
        ["does not answer", () => ({ cut: "silence" }), 10],
      ] satisfies [string, Intercept, number][]) {
        Object.assign(asked, { answer, count: 0, most: 0 });
        const { exitCode, text } = await stage().terraform(folder, "plan -detailed-exitcode");
        expect([what, exitCode]).toEqual([what, 0]);
        expect(text.includes("could not be verified")).toBe(what !== "knows them");
        expect(asked.count).toBeLessThanOrEqual(requests);
        expect(asked.count).toBeGreaterThanOrEqual(requests === 30 ? 30 : 1);
        expect(asked.most).toBeLessThanOrEqual(8);
      }
    });
  },
  { options: { intercept: asked.intercept } },
);
