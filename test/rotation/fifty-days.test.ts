import { someOf } from "../support/fuzz";
import { readPage } from "../support/pages";
import { type Outcome, Pipeline, SETTINGS, STEP, type Way } from "./fifty-days";
import { DAY, HOUR } from "./runs";

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
    gap = pipeline.works ? 0 : gap + STEP;
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
