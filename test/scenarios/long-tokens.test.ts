import { LongTokens } from "../support/long-tokens";
import { onOneLine, providerBlock, scenarios, writeModule } from "./world";

const tokens = new LongTokens();

// docs/rotation.md: revoked after its consumers are destroyed
scenarios(
  "tokens that are longer than most servers take a header",
  (stage) => {
    test("are stored, verified at each refresh and revoked by a destroy, and no message has one", async () => {
      tokens.length = 31_000;
      const folder = stage().module("");
      const run = async (command: string) => {
        const { exitCode, text } = await stage().terraform(folder, `${command} -no-color`);
        return [exitCode, onOneLine(text)] as const;
      };
      writeModule(
        folder,
        `${providerBlock(stage())}
resource "iam_token" "ci" {
  scope             = "account"
  verify_at_refresh = true
  revoke_on_destroy = true
}
resource "iam_token" "other" {
  scope        = "project"
  project_name = iam_token.ci.token
}
`,
      );
      // A token in the place of a name: no message repeats it.
      const [failed, text] = await run("apply -auto-approve");
      expect([failed, text]).toEqual([1, expect.not.stringMatching(/MII|Long.token/i)]);
      expect(await run("plan -detailed-exitcode -target=iam_token.ci")).toEqual([
        0,
        expect.anything(),
      ]);
      expect(tokens.living.size).toBe(1);
      expect(await run("destroy -auto-approve -target=iam_token.ci")).toEqual([
        0,
        expect.not.stringMatching(/MII/),
      ]);
      expect(tokens.living.size).toBe(0);
    });
  },
  { clock: true, options: { intercept: tokens.intercept } },
);
