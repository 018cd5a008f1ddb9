import { join } from "node:path";
import { declareStack } from "../../examples/rotation/rotation-stack";
import { Gate } from "../scenarios/gate";
import { scenarios } from "../scenarios/scenario";
import type { RunningCommand } from "../support/command";
import { hasPostgres, type Postgres, startPostgres } from "../support/postgres";
import { testIf } from "../support/skips";
import { startTerraform } from "../support/terraform";

const needsPostgres = testIf(hasPostgres(), "there is no PostgreSQL server here");

const gate = new Gate();

scenarios(
  "a state in PostgreSQL that pipelines share",
  (stage) => {
    let postgres: Postgres;

    beforeAll(async () => {
      if (hasPostgres()) postgres = await startPostgres();
    });
    afterAll(async () => postgres?.stop());

    const environment = () => ({ ...stage().secrets, ...postgres.env });

    /** A separate checkout, with the example's stack at a release. */
    async function checkout(name: string, release: string, schemaName: string): Promise<string> {
      const { authUrl } = stage().identity;
      const state = { connStr: postgres.connStr, schemaName };
      const app = stage().synth(
        (root) => declareStack(root, { authUrl, release, state }),
        join(stage().scratch.folder, name),
      );
      const folder = app.stackFolder("rotating");
      await stage().succeed(folder, ["init"], environment());
      return folder;
    }

    const APPLY = ["apply", "-auto-approve", "-no-color", "-lock-timeout=60s"];

    const start = (folder: string): RunningCommand =>
      startTerraform(folder, APPLY, { scratch: stage().scratch, env: environment() });

    const rotationOf = async (folder: string): Promise<unknown> => {
      const { stdout } = await stage().succeed(folder, ["show", "-json"], environment());
      return JSON.parse(stdout).values.root_module.resources[0].values.rotation;
    };

    needsPostgres(
      "of two applies at once the second waits for the lock, and then finds nothing due",
      async () => {
        await stage().succeed(await checkout("before", "1", "at_once"), APPLY, environment());
        const [one, two] = [
          await checkout("one", "2", "at_once"),
          await checkout("two", "2", "at_once"),
        ];
        stage().requests();

        const held = gate.holdNext();
        const first = start(one);
        await held.come;
        const second = start(two);
        await second.printed(/Acquiring state lock/);
        held.letGo();

        expect((await first.finished).text).toMatch("0 added, 1 changed, 0 destroyed");
        const { exitCode, text } = await second.finished;
        expect({ exitCode, text }).toEqual({
          exitCode: 0,
          text: expect.stringMatching("No changes."),
        });
        expect(stage().requests()).toBe(1);
        expect(await rotationOf(two)).toBe(2);
      },
    );

    needsPostgres(
      "one that is killed while a token is issued leaves neither lock nor half a state, and the next recovers",
      async () => {
        await stage().succeed(await checkout("before", "1", "killed"), APPLY, environment());
        const [one, two] = [
          await checkout("one", "2", "killed"),
          await checkout("two", "2", "killed"),
        ];

        const held = gate.holdNext();
        const killed = start(one);
        await held.come;
        killed.signalAlone("SIGKILL");
        expect((await killed.finished).endedBy).toBe("SIGKILL");
        held.letGo();

        // The one that was there is in the state, and valid.
        expect(await rotationOf(two)).toBe(1);
        const { ci_value } = JSON.parse(
          (await stage().succeed(two, ["output", "-json"], environment())).stdout,
        );
        expect(stage().identity.isValid(ci_value.value)).toBe(true);

        const { text } = await stage().succeed(two, APPLY, environment());
        expect(text).toMatch("0 added, 1 changed, 0 destroyed");
        expect(await rotationOf(two)).toBe(2);
        await stage().succeed(two, ["plan", "-detailed-exitcode"], environment());
      },
    );
  },
  { options: { intercept: gate.intercept } },
);
