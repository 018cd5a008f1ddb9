import { join } from "node:path";
import { LocalBackend } from "cdktf";
import { TokenOutputs, TokenResolution } from "../../lib";
import { Gate, scenarios, webToken } from "./world";

const gate = new Gate();
const APPLY = ["apply", "-auto-approve", "-no-color", "-lock-timeout=60s"];

// docs/rotation.md: Use a backend that locks
scenarios(
  "a state that pipelines share",
  (stage) => {
    const succeed = (folder: string, ...args: string[]) => stage().succeed(folder, args);
    const start = (folder: string) => stage().start(folder, APPLY);

    /** Two checkouts of a stack at a new release; the one before is applied. */
    async function checkouts(): Promise<readonly [string, string]> {
      const folders = [];
      for (const [name, release] of Object.entries({ before: "1", one: "2", two: "2" })) {
        const folder = stage().stack(
          (stack) => {
            new LocalBackend(stack, { path: join(stage().scratch.folder, "shared.tfstate") });
            const resolution = TokenResolution.rotating({ keepers: { release } });
            new TokenOutputs(stack, "ci", { token: webToken(stack, stage(), { resolution }) });
          },
          "rotating",
          join(stage().scratch.folder, name),
        );
        await succeed(folder, "init");
        if (name === "before") await succeed(folder, ...APPLY);
        else folders.push(folder);
      }
      stage().requests();
      return folders as [string, string];
    }

    const rotationOf = async (folder: string): Promise<unknown> =>
      JSON.parse((await succeed(folder, "show", "-json")).stdout).values.root_module.resources[0]
        .values.rotation;

    test("of two applies at once the second waits for the lock, and then finds nothing due", async () => {
      const [one, two] = await checkouts();
      const held = gate.holdNext();
      const first = start(one);
      await held.come;
      const second = start(two);
      await second.printed(/Acquiring state lock/);
      held.letGo();

      expect((await first.finished).text).toMatch("0 added, 1 changed, 0 destroyed");
      const { exitCode, text } = await second.finished;
      expect([exitCode, text]).toEqual([0, expect.stringMatching("No changes.")]);
      expect(stage().requests()).toBe(1);
      expect(await rotationOf(two)).toBe(2);
    });

    test("one that is killed while a token is issued leaves neither lock nor half a state, and the next recovers", async () => {
      const [one, two] = await checkouts();
      const held = gate.holdNext();
      const killed = start(one);
      await held.come;
      killed.signalAlone("SIGKILL");
      expect((await killed.finished).endedBy).toBe("SIGKILL");
      held.letGo();

      // The one that was there is in the state, and valid.
      expect(await rotationOf(two)).toBe(1);
      const { ci_value } = JSON.parse((await succeed(two, "output", "-json")).stdout);
      expect(stage().identity.isValid(ci_value.value)).toBe(true);

      expect((await succeed(two, ...APPLY)).text).toMatch("0 added, 1 changed, 0 destroyed");
      expect(await rotationOf(two)).toBe(2);
      await succeed(two, "plan", "-detailed-exitcode");
    });
  },
  { options: { intercept: gate.intercept } },
);
