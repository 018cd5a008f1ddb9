import { resolve } from "node:path";
import { toScheduleChart } from "../../rotation/schedule-chart";
import { IamTokensError } from "../../tokens";
import { type CliContext, mayColour, mayDrawSigns } from "../cli-context";
import type { Action } from "../command";
import { writeOutputFile } from "../write-file";
import { toMermaid } from "./mermaid";
import { argumentsOf, resultOf, settingsOf } from "./report";
import { toTimeline } from "./timeline";
import { judge, type ScheduleOptions, type Verdict } from "./verdict";

/** The action of `iam-tokens schedule`. */
export const action: Action<ScheduleOptions> = async (options, _operands, context) => {
  const { stdout, stderr, workingFolder } = context;
  const verdict = read(options, context);
  if (verdict === undefined) return 2;
  const chart = toScheduleChart(verdict.settings, verdict.rule);
  const { mermaid } = options;
  const drawn = mermaid === undefined ? "" : toMermaid(verdict, chart);
  if (mermaid !== undefined && mermaid !== "-") {
    const page = mermaid.endsWith(".md") ? `\`\`\`mermaid\n${drawn}\`\`\`\n` : drawn;
    writeOutputFile(resolve(workingFolder, mermaid), page);
  }
  if (mermaid === "-") {
    stdout.write(drawn);
  } else {
    const { result, sum } = resultOf(verdict);
    const timeline = toTimeline(chart, {
      columns: stdout.columns ?? 100,
      colour: mayColour(stdout, context.env),
      unicode: mayDrawSigns(stdout, context.env),
    });
    stdout.write(
      [settingsOf(verdict), "", result, sum, ...argumentsOf(verdict), "", timeline].join("\n"),
    );
  }
  if (verdict.refusal === undefined) return 0;
  stderr.write(`${verdict.refusal.message}\n`);
  return 1;
};

/** Undefined, after a message on stderr, if the command line is not valid. */
function read(options: ScheduleOptions, { stderr }: CliContext): Verdict | undefined {
  try {
    return judge(options);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    stderr.write(`${error.message}\n`);
    return undefined;
  }
}
