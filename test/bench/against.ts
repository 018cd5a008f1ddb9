import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Contestant, ratioOf, spreadOf } from "./pairs";
import { commandOf, planning, startAttached } from "./plans";
import { SYNTHESES, type Synthesis, synthesizing } from "./programs";
import { markdown } from "./report";
import type { Stage } from "./stage";

/**
 * How long commands take with this checkout, as a multiple of the time with another one: the median
 * of the rounds, and the range of the middle half.
 */
export async function compareWith(stage: Stage, other: string): Promise<string> {
  const plugins = join(stage.scratch.folder, "other", "terraform.d");
  execFileSync(process.execPath, [commandOf(other), "install", join(plugins, "plugins")]);
  const attached = [await startAttached(stage), await startAttached(stage, other)] as const;
  const plans = (what: string, tokens: number, here: Environment = {}, there = here) =>
    Promise.all([
      planning(stage, tokens, { name: `${what}, here`, env: here }),
      planning(stage, tokens, { name: `${what}, there`, env: there, plugins }),
    ]);
  try {
    const pairs: Record<string, readonly Contestant[]> = {
      "a plan, 1 token": await plans("handed over", 1),
      "the same without the hand-over": await plans("own servers", 1, { IAM_TOKENS_HANDOVER: "0" }),
      "a plan, 100 tokens": await plans("handed over", 100),
      "a plan under iam-tokens run": await plans("attached", 1, attached[0].env, attached[1].env),
    };
    for (const what of Object.keys(SYNTHESES) as Synthesis[])
      pairs[what] = [
        synthesizing(stage, `${what}, here`, what),
        synthesizing(stage, `${what}, there`, what, other),
      ];
    const rows: string[][] = [];
    for (const [what, contestants] of Object.entries(pairs)) {
      const [here, there] = await stage.measure(what, contestants);
      if (here === undefined || there === undefined) continue;
      const { median, lower, upper } = ratioOf(here, there);
      const times = [here, there].map((each) => `${spreadOf(each.times).median.toFixed(0)} ms`);
      const [ratio, low, high] = [median, lower, upper].map((value) => value.toFixed(3));
      rows.push([what, ...times, ratio ?? "", `${low} to ${high}`]);
    }
    return markdown(["command", "here", "there", "here ÷ there", "middle half"], ...rows);
  } finally {
    await Promise.all(attached.map((each) => each.stop()));
  }
}

type Environment = Readonly<Record<string, string>>;
