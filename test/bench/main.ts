/**
 * `npm run bench`: the costs of the embedded provider, compared with its floor and with other
 * providers, in one run. Only the ratios are to be kept: absolute times are those of the machine.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toChart } from "./chart";
import { measureCredentials } from "./credentials";
import { measureFirst } from "./first";
import { describeMachine, isBusy, loadText } from "./machine";
import { measureMemory } from "./memory";
import { type BenchOptions, HELP, parseOptions, type SectionName } from "./options";
import { writePages } from "./page";
import { measurePipeline } from "./pipeline";
import { measureAliases, measurePlans } from "./plans";
import {
  costsMarkdown,
  figureLines,
  figuresMarkdown,
  sectionLines,
  sectionMarkdown,
} from "./report";
import type { Section } from "./section";
import { openStage, type Stage } from "./stage";
import { measureStart, TERRAFORM } from "./start";
import { measureSynthesis } from "./synthesis";

const MEASUREMENTS: Readonly<Record<SectionName, (stage: Stage) => Promise<Section[]>>> = {
  start: measureStart,
  plans: measurePlans,
  aliases: measureAliases,
  first: measureFirst,
  memory: measureMemory,
  credentials: measureCredentials,
  cdktf: measurePipeline,
  synthesis: measureSynthesis,
};

async function main(options: BenchOptions): Promise<void> {
  const stage = await openStage(options.rounds, options.nodes);
  try {
    const machine = describeMachine(stage);
    if (isBusy())
      stage.tell(
        `the machine is busy (load ${loadText()}): the figures will include the load of other programs`,
      );
    console.log(
      `${machine}\nMedians, ratios round by round to the floor, and between what half of the rounds lie.\n`,
    );
    const sections = new Map<SectionName, Section[]>();
    for (const name of options.sections) {
      const measured = await MEASUREMENTS[name](stage);
      sections.set(name, measured);
      for (const section of measured) for (const line of sectionLines(section)) console.log(line);
    }
    const all = [...sections.values()].flat();
    const figures = all.flatMap((section) => section.figures ?? []);
    console.log("What it must reach");
    for (const line of figureLines(figures)) console.log(line);
    console.log(
      `\nSize of the provider: ${sizeOfProvider()} bytes. Load at the end: ${loadText()}`,
    );
    const whole = `${machine}; at the end: ${loadText()}`;
    if (options.json !== undefined)
      writeFileSync(
        options.json,
        `${JSON.stringify({ machine: whole, sections: all }, null, 1)}\n`,
      );
    if (options.write) {
      const drawn = [...(sections.get("plans") ?? []), ...(sections.get("aliases") ?? [])];
      writePages({
        machine: `${whole}; the provider's files: ${sizeOfProvider()} bytes.`,
        costs: costsMarkdown(all),
        figures: figuresMarkdown(figures),
        tables: all.map(sectionMarkdown).join("\n"),
        chart: toChart(
          "terraform plan: how long it takes",
          "Medians; the line over a bar is where half of the rounds lie. Three launches: without the hand-over, one server each.",
          drawn,
        ),
      });
    }
  } finally {
    await stage.remove();
  }
}

function sizeOfProvider(): string {
  const bytes = readdirSync(TERRAFORM).reduce(
    (sum, name) => sum + statSync(join(TERRAFORM, name)).size,
    0,
  );
  return bytes.toLocaleString("en");
}

async function run(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(HELP);
  else await main(options);
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
