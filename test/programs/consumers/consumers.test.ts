import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { thisPlatform } from "../../../lib/delivery/platforms";
import { PROVIDER_SOURCE } from "../../../lib/provider/names";
import { type Recipe, rotationPlanOf } from "../../../lib/rotation/rotation-plan";
import { toRotationSettings } from "../../../lib/rotation/rotation-settings";
import { formatExact } from "../../../lib/tokens";
import { HOUR, onOneLine, providerBlock, scenarios } from "../../scenarios/world";
import { goClient } from "../../support/go-clients";
import { describeIf } from "../../support/skips";
import { Store, TAKES, type Taking } from "./store";

// A dozen runs of Terraform with three providers.
jest.setTimeout(300_000);

const KINDS = {
  sdk: goClient("a store's provider on SDKv2"),
  framework: goClient("a store's provider on the framework"),
} as const;
type Kind = keyof typeof KINDS;

const sourceOf = (kind: Kind) => `npm.invalid/consumers/${kind}`;

/** A push into the store by a provider of this kind, looked at by an ephemeral block of the framework's. */
const moduleOf = (kind: Kind, rotation: string) => `
ephemeral "iam_token" "pushed" {
  scope         = "account"
  min_remaining = "23h55m"
}
resource "iam_rotation" "push" {
  ${rotation}
}
resource "${kind}_secret" "token" {
  name             = "token"
  value_wo         = ephemeral.iam_token.pushed.token
  value_wo_version = iam_rotation.push.version
}
`;

/** `rotate_every` with a run every three hours. */
const everyOf = (recipe: Recipe) =>
  formatExact(rotationPlanOf(toRotationSettings(3 * HOUR, {}), recipe).rotateEveryMs);

const LOOKS = `rotate_every    = "${everyOf("stored")}"
  stored_token_wo = try(ephemeral.framework_secret.stored[0].value, "")
  pushed_token_wo = ephemeral.iam_token.pushed.token`;

const STORED = `
data "framework_names" "all" {}
ephemeral "framework_secret" "stored" {
  count = contains(data.framework_names.all.names, "token") ? 1 : 0
  name  = "token"
}
`;

describeIf(
  Object.values(KINDS).every((program) => program !== null),
  "their providers are not built here",
)("bad stores", () => {
  scenarios(
    "a token that is pushed into a store",
    (stage) => {
      let store: Store;
      beforeEach(async () => {
        store = await Store.start();
      });
      afterEach(() => store.close());

      /** A stack, before its first apply. */
      const declare = async (hcl: string) => {
        const { terraform, identity, clock, module } = stage();
        const folder = module("");
        const providers = Object.entries(KINDS).map(([kind, program]) => {
          const source = sourceOf(kind as Kind);
          const file = `terraform-provider-${kind}_v1.0.0`;
          const target = join(folder, "terraform.d/plugins", source, "1.0.0", thisPlatform(), file);
          mkdirSync(dirname(target), { recursive: true });
          copyFileSync(program ?? "", target);
          chmodSync(target, 0o755);
          return [
            `${kind} = { source = "${source}" }`,
            `provider "${kind}" { url = "${store.url}" }\n`,
          ];
        });
        const required = [
          `iam = { source = "${PROVIDER_SOURCE}" }`,
          ...providers.map(([one]) => one),
        ];
        writeFileSync(
          join(folder, "main.tf"),
          `terraform {\n  required_providers {\n${required.join("\n")}\n  }\n}\n${providers.map(([, two]) => two).join("")}${providerBlock(stage())}${hcl}`,
        );
        await stage().succeed(folder, "init");
        const run = async (command: string) => {
          const { exitCode, text } = await terraform(folder, `${command} -no-color`);
          return [exitCode, onOneLine(text)] as const;
        };
        return {
          run,
          apply: () => run("apply -auto-approve"),
          /** The exit code of a plan: 0 without a change, 2 with one. */
          plan: () => run("plan -detailed-exitcode"),
          pass: (hours: number) => {
            clock.now += hours * HOUR;
          },
          works: () => identity.isValid(store.secrets.get("token")?.trim() ?? ""),
        };
      };
      type Stack = Awaited<ReturnType<typeof declare>>;

      const made = async (hcl: string): Promise<Stack> => {
        const stack = await declare(hcl);
        expect(await stack.apply()).toEqual([0, expect.stringContaining("Apply complete!")]);
        expect([stack.works(), (await stack.plan())[0]]).toEqual([true, 0]);
        return stack;
      };

      /** Whoever looks at the store: the run after the bad one has pushed, and that is all. */
      const expectHealed = async (stack: Stack) => {
        stack.pass(3);
        expect(await stack.apply()).toEqual([0, expect.stringContaining("Apply complete!")]);
        expect(store.secrets.get("token")).toBe(store.given.at(-1));
        expect([stack.works(), (await stack.plan())[0]]).toEqual([true, 0]);
      };

      const FAILS: Taking = () => undefined;
      const KEEPS: Taking = (_, held) => held;

      test.each<[Kind, string, Taking, exitCode: number]>([
        ["sdk", "answers 503", FAILS, 1],
        ["framework", "answers 503", FAILS, 1],
        ["sdk", "answers 200 and keeps the old value", KEEPS, 0],
        ["framework", "answers 200 and keeps the old value", KEEPS, 0],
      ])(
        "with storedToken, the run after a bad one pushes: on %s, a store that %s",
        async (kind, _what, taking, exitCode) => {
          const stack = await made(STORED + moduleOf(kind, LOOKS));
          const first = store.secrets.get("token");
          stack.pass(18);
          store.taking = taking;
          expect((await stack.apply())[0]).toBe(exitCode);
          expect(store.secrets.get("token")).toBe(first);
          store.taking = TAKES;
          await expectHealed(stack);
        },
      );

      test("with storedToken, the next run pushes into a store that was restored to yesterday", async () => {
        const stack = await made(STORED + moduleOf("sdk", LOOKS));
        const yesterday = String(store.secrets.get("token"));
        stack.pass(18);
        await stack.apply();
        store.secrets.set("token", yesterday);
        await expectHealed(stack);
      });

      test("without it, no plan sees that a push failed, and the next rotation comes in time", async () => {
        const stack = await made(moduleOf("sdk", `rotate_every = "${everyOf("pushed")}"`));
        stack.pass(9);
        store.taking = FAILS;
        expect((await stack.apply())[0]).toBe(1);
        store.taking = TAKES;
        stack.pass(3);
        expect((await stack.plan())[0]).toBe(0);
        stack.pass(6);
        expect(stack.works()).toBe(true);
        expect((await stack.apply())[0]).toBe(0);
        stack.pass(9);
        expect([stack.works(), store.given.length]).toEqual([true, 3]);
      });

      test("with storedToken, the third rotation in a row for a store that gives back something else says what to compare", async () => {
        store.taking = (given) => JSON.stringify({ token: given });
        const stack = await declare(STORED + moduleOf("sdk", LOOKS));
        await stack.apply();
        for (const why of ["its push failed", "its push failed", "path, field and encoding"]) {
          const [exitCode, text] = await stack.apply();
          expect([exitCode, text]).toEqual([0, expect.stringContaining(why)]);
          for (const given of store.given) expect(text).not.toContain(given);
        }
        expect(store.given).toHaveLength(4);
      });

      test.each<[string, Taking]>([
        ["adds a newline", (given) => `${given}\n`],
        ["adds spaces at both ends", (given) => `  ${given} `],
      ])("with storedToken, a store that %s is no reason to rotate", async (_what, taking) => {
        store.taking = taking;
        const stack = await made(STORED + moduleOf("sdk", LOOKS));
        expect(store.given).toHaveLength(1);
        stack.pass(3);
        await stack.apply();
        expect(store.given).toHaveLength(1);
      });
    },
    { clock: true },
  );
});
