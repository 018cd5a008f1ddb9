import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  RotationHook,
  RotationSchedule,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { identityIn, scenarios } from "../scenarios/world";

/** A hook's two sources: the state, and an ephemeral token that is pushed at each rotation. */
const [ROTATING, PUSHED] = ["iam_token.token", "iam_rotation.rotation"] as const;

scenarios("a hook", (stage) => {
  const inScratch = (name: string) => join(stage().scratch.folder, name);
  const journal = () =>
    existsSync(inScratch("journal"))
      ? readFileSync(inScratch("journal"), "utf8").trimEnd().split("\n")
      : [];

  /** The stack, written over the one before it. */
  async function written(source: string, command: string, release = "1"): Promise<string> {
    const rotation = { schedule: RotationSchedule.every("6h"), keepers: { release } };
    const folder = stage().stack(
      (stack) => {
        const pushes = source === PUSHED && new TokenRotation(stack, "rotation", rotation);
        const token = new ServiceUserToken(stack, "token", {
          identity: identityIn(stack, stage()),
          scope: TokenScope.account(),
          resolution: pushes
            ? TokenResolution.ephemeral({ rotateWith: pushes })
            : TokenResolution.rotating(rotation),
        });
        const environment = { JOURNAL: inScratch("journal") };
        new RotationHook(stack, "hook", { token, command, environment });
      },
      "main",
      inScratch("out"),
    );
    await stage().succeed(folder, ["init"]);
    return folder;
  }

  for (const source of [ROTATING, PUSHED])
    test(`runs once for each rotation of ${source}, also after -replace, and at no other time`, async () => {
      const note =
        'printf \'%s: %s\\n\' "$IAM_TOKEN_HEADER" "$IAM_TOKEN" >> "$JOURNAL"\necho \'it\'\\\'\'s "told"\'';
      const folder = await written(source, note);
      const runsAfter = async (...args: string[]) => {
        await stage().succeed(folder, ["apply", "-auto-approve", ...args]);
        return journal().length;
      };
      expect([await runsAfter(), await runsAfter(), await runsAfter("-refresh-only")]).toEqual([
        1, 1, 1,
      ]);
      await written(source, note, "2");
      expect([await runsAfter(), await runsAfter(`-replace=${source}`)]).toEqual([2, 3]);
      // Another command is not a rotation.
      await written(source, `${note}\n# Another one.`, "2");
      expect(await runsAfter()).toBe(3);
      for (const line of journal()) {
        const [header, token = ""] = line.split(": ");
        expect([header, stage().identity.isValid(token)]).toEqual(["X-Auth-Token", true]);
      }
      expect(new Set(journal()).size).toBe(3);
    });

  test("that prints the token and fails shows it nowhere, and is run again by the next apply", async () => {
    const printing = `set -x
echo "it's $IAM_TOKEN_HEADER: $IAM_TOKEN"
echo "$IAM_TOKEN" >&2
sh -c 'curl -s -H "$1: $2" http://127.0.0.1:1/' hook "$IAM_TOKEN_HEADER" "\${IAM_TOKEN}"
exit "$(cat "$JOURNAL" 2>/dev/null || echo 3)"`;
    const folder = await written(PUSHED, printing);
    const apply = (env: Readonly<Record<string, string>> = {}) =>
      stage().terraform(folder, ["apply", "-auto-approve", "-no-color"], {
        ...stage().secrets,
        ...env,
      });
    const texts: Record<string, string> = {};
    for (const TF_LOG of ["", "TRACE"]) {
      const { exitCode, text } = await apply({ TF_LOG });
      texts[`TF_LOG=${TF_LOG}`] = text;
      expect(exitCode).toBe(1);
      expect(text).toContain("exit status 3");
    }
    const tokens = Object.fromEntries(stage().identity.issuedTokens().entries());
    const canaries = { password: stage().password, ...tokens };
    const { findings, notScanned } = scanForLeaks({ canaries, folders: [folder], texts });
    expect([...findings, ...notScanned]).toEqual([]);

    writeFileSync(inScratch("journal"), "0");
    expect((await apply()).exitCode).toBe(0);
    await stage().succeed(folder, ["plan", "-detailed-exitcode"]);
  });
});
