import * as fc from "fast-check";
import { expectOften } from "../support/expect-often";
import { fuzz, someOf } from "../support/fuzz";
import { readPage } from "../support/pages";
import { type Outcome, Pipeline, SETTINGS, STEP, type Way } from "./fifty-days";
import { DAY, HOUR, seeded } from "./runs";

/** Plays fifty days: how long, at most, readers had no working token while the service had one. */
async function longestGap(
  way: Way,
  happens: (pipeline: Pipeline, time: number) => Outcome | undefined,
): Promise<number> {
  const pipeline = new Pipeline(way);
  let [gap, longest] = [0, 0];
  let outcome: Outcome | undefined;
  for (let time = 0; time < 50 * DAY; time += STEP, pipeline.wait()) {
    if (time % SETTINGS.intervalMs === 0 && (await pipeline.run(outcome ?? "applied")))
      outcome = undefined;
    outcome = (time > 0 && happens(pipeline, time)) || outcome;
    gap = pipeline.works || pipeline.service.isDown ? 0 : gap + STEP;
    longest = Math.max(longest, gap);
  }
  return longest;
}

/** The rows of the page's table. */
const WAYS: Readonly<Record<string, Way>> = {
  "a push with `storedToken`": { recipe: "stored" },
  "a hook with the store's own command": { recipe: "pushed", hook: true },
  "a push by arithmetic": { recipe: "pushed" },
  "the same by the numbers of `--stored`": { recipe: "stored", blind: true },
  "in the state, read back, with `verifyAtRefresh`": { recipe: "readBack", verify: true },
  "in the state, read back, without it": { recipe: "readBack" },
  "in the state, not read back, with `verifyAtRefresh`": { recipe: "inState", verify: true },
  "in the state, not read back, without it": { recipe: "inState" },
};

/** Its columns. */
const FAULTS: readonly ((pipeline: Pipeline) => Outcome | undefined)[] = [
  () => "its push fails",
  () => "missed",
  ({ service }) => void service.end(),
  ({ service, store }) => void service.end(store),
  (pipeline) => void pipeline.restore(),
];

/** Never twice between two pushes, and at each hour of a rotation. */
const EVERY = 195 * STEP;

test.each(someOf(Object.entries(WAYS)))(
  "docs/rotation.md has the hours without a working token: %s",
  async (name, way) => {
    const hours: number[] = [];
    for (const fault of FAULTS)
      hours.push(
        (await longestGap(way, (pipeline, time) =>
          time % EVERY === 0 ? fault(pipeline) : undefined,
        )) / HOUR,
      );
    const rows = readPage("docs/rotation.md").split("\n");
    expect(rows.find((each) => each.startsWith(`| ${name} |`))).toMatch(
      new RegExp(` ${hours.join(" \\| ")} \\|$`),
    );
  },
);

test.each<Way>([{ recipe: "stored" }, { recipe: "readBack", verify: true }])(
  "whatever happens, readers wait no longer than to the next run that is not bad: $recipe",
  async (way) => {
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seeded(seed);
      let last = 0;
      const gap = await longestGap(way, (pipeline, time) => {
        const { service, store } = pipeline;
        if (random() < 0.004) service.end(random() < 0.5 ? store : undefined);
        if (random() < 0.01) service.isDown = !service.isDown;
        if (service.isDown && random() < 0.2) service.isDown = false;
        // At most one bad run between two that pushed.
        if (random() < 0.9 || time - last < DAY) return undefined;
        last = time;
        return random() < 0.5 ? "missed" : "its push fails";
      });
      expectOften(gap).toBeLessThanOrEqual((SETTINGS.missedRuns + 1) * SETTINGS.intervalMs);
    });
    await fc.assert(property, fuzz(3));
  },
);
