import { memoryOfPlans } from "../load/pipeline-memory";
import { numberFigure, type Section } from "./section";
import type { Stage } from "./stage";

const GROWTH_MB = 10;

/** Measures the memory of the attached provider in a long pipeline. */
export async function measureMemory(stage: Stage): Promise<Section[]> {
  stage.tell("memory of the attached provider: ten plans of 100 tokens");
  const kilobytes = await memoryOfPlans();
  const inMb = kilobytes.map((kb) => kb / 1_024);
  const growth = (inMb.at(-1) ?? Number.NaN) - (inMb[0] ?? Number.NaN);
  return [
    {
      title: "Memory of the attached provider",
      outcomes: [],
      notes: [
        `resident after 100, 200, … 1,000 opened tokens, in MiB: ${inMb.map((mb) => mb.toFixed(0)).join(" ")}`,
      ],
      figures: [
        numberFigure(
          "attached: resident memory after 1,000 opens, growth over the first 100",
          GROWTH_MB,
          growth,
          "MiB",
        ),
      ],
    },
  ];
}
