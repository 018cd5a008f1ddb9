import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import {
  RotationHook,
  RotationSchedule,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { type Scenario, scenarios } from "../scenarios/scenario";
import { identityIn, StackOf } from "../scenarios/stacks";
import { hasGo } from "../support/go-build";
import { installProvider } from "../support/go-providers";
import { testIf } from "../support/skips";

/** What @cdktf/provider-null requires. */
const NULL_VERSION = "3.2.4";
const SCHEDULE = RotationSchedule.every("6h");

type Keepers = { readonly [name: string]: string };

/** Each of a hook's two sources: the state, or an ephemeral token that a rotation drives. */
const SOURCES = {
  "a rotating token": {
    address: "iam_token.token",
    declare: (stack: TerraformStack, stage: Scenario, keepers: Keepers) =>
      new ServiceUserToken(stack, "token", {
        identity: identityIn(stack, stage),
        scope: TokenScope.account(),
        resolution: TokenResolution.ROTATING,
        schedule: SCHEDULE,
        keepers,
      }),
  },
  "a token that is pushed": {
    address: "iam_rotation.rotation",
    declare: (stack: TerraformStack, stage: Scenario, keepers: Keepers) =>
      new ServiceUserToken(stack, "token", {
        identity: identityIn(stack, stage),
        scope: TokenScope.account(),
        rotateWith: new TokenRotation(stack, "rotation", { schedule: SCHEDULE, keepers }),
      }),
  },
} as const;

scenarios("a hook with hashicorp/null", (stage) => {
  const needsGo = testIf(hasGo(), "there is no Go here to build hashicorp/null with");
  const journalFile = () => join(stage().scratch.folder, "journal");
  const journal = () =>
    existsSync(journalFile()) ? readFileSync(journalFile(), "utf8").trimEnd().split("\n") : [];

  /** The stack, written over the one before it. */
  async function written(
    source: keyof typeof SOURCES,
    command: string,
    release = "1",
  ): Promise<string> {
    const app = stage().synth(
      (root) => {
        new StackOf(root, "main", (stack) => {
          const token = SOURCES[source].declare(stack, stage(), { release });
          new RotationHook(stack, "hook", {
            token,
            command,
            environment: { JOURNAL: journalFile() },
          });
        });
      },
      join(stage().scratch.folder, "out"),
    );
    const folder = app.stackFolder("main");
    await installProvider(folder, "null", NULL_VERSION);
    await stage().succeed(folder, ["init"]);
    return folder;
  }

  // The provider's own folder may be there for a moment longer.
  const outputFiles = () =>
    readdirSync(stage().scratch.tmp)
      .filter((name) => name.startsWith("rotation-hook."))
      .map((name) => join(stage().scratch.tmp, name));

  for (const [source, { address }] of Object.entries(SOURCES) as [
    keyof typeof SOURCES,
    { address: string },
  ][]) {
    needsGo(
      `runs once for each rotation of ${source}, also after -replace, and at no other time`,
      async () => {
        const note =
          'printf \'%s: %s\\n\' "$IAM_TOKEN_HEADER" "$IAM_TOKEN" >> "$JOURNAL"\necho \'it\'\\\'\'s "told"\'';
        const folder = await written(source, note);
        const apply = (...args: string[]) =>
          stage().succeed(folder, ["apply", "-auto-approve", ...args]);
        await apply();
        expect(journal()).toHaveLength(1);
        await apply();
        await stage().succeed(folder, ["plan"]);
        await apply("-refresh-only");
        expect(journal()).toHaveLength(1);
        await written(source, note, "2");
        await apply();
        expect(journal()).toHaveLength(2);
        await apply(`-replace=${address}`);
        expect(journal()).toHaveLength(3);
        // Another command is not a rotation.
        await written(source, `${note}\n# Another one.`, "2");
        await apply();
        expect(journal()).toHaveLength(3);
        for (const line of journal()) {
          const [header, token = ""] = line.split(": ");
          expect(header).toBe("X-Auth-Token");
          expect(stage().identity.isValid(token)).toBe(true);
        }
        expect(new Set(journal()).size).toBe(3);
        expect(outputFiles()).toEqual([]);
      },
    );
  }

  needsGo(
    "that prints the token and fails shows it nowhere, and is run again by the next apply",
    async () => {
      const printing = `set -x
echo "it's $IAM_TOKEN_HEADER: $IAM_TOKEN"
echo "$IAM_TOKEN" >&2
sh -c 'curl -s -H "$1: $2" http://127.0.0.1:1/' hook "$IAM_TOKEN_HEADER" "\${IAM_TOKEN}"
exit "$(cat "$JOURNAL" 2>/dev/null || echo 3)"`;
      const folder = await written("a token that is pushed", printing);
      const texts: Record<string, string> = {};
      const run = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
        const { exitCode, stdout, stderr } = await stage().terraform(folder, args, {
          ...stage().secrets,
          ...env,
        });
        texts[`stdout of ${args.join(" ")} ${Object.keys(texts).length}`] = stdout;
        texts[`stderr of ${args.join(" ")} ${Object.keys(texts).length}`] = stderr;
        return { exitCode, text: `${stdout}\n${stderr}` };
      };
      await run({}, "plan", "-out=saved");
      for (const env of [{}, { TF_LOG: "TRACE" }]) {
        const failed = await run(env, "apply", "-auto-approve", "-no-color");
        expect(failed.exitCode).toBe(1);
        const said = /The hook ended with exit code 3\. Its output is in\s+(\/\S+),/.exec(
          failed.text.replace(/[│╷╵\s]+/g, " "),
        );
        const [file] = outputFiles();
        expect(said?.[1]).toBe(file);
        const printed = readFileSync(file ?? "", "utf8");
        expect(
          stage()
            .identity.issuedTokens()
            .filter((token) => printed.includes(token)),
        ).toHaveLength(1);
        expect(statSync(file ?? "").mode & 0o777).toBe(0o600);
        // The output of the earlier run is gone.
        expect(outputFiles()).toHaveLength(1);
      }
      const tokens = Object.fromEntries(
        stage()
          .identity.issuedTokens()
          .map((token, index) => [`token ${index}`, token]),
      );
      const canaries = { password: stage().password, ...tokens };
      expect(scanForLeaks({ canaries, folders: [folder], texts }).findings).toEqual([]);

      writeFileSync(journalFile(), "0");
      expect((await run({}, "apply", "-auto-approve")).exitCode).toBe(0);
      expect((await run({}, "plan", "-detailed-exitcode")).exitCode).toBe(0);
      expect(outputFiles()).toEqual([]);
    },
  );
});
