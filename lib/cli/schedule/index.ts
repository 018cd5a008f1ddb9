import { resolve } from "node:path";
import { IamTokensError } from "../../tokens";
import type { Action } from "../command";
import { type CliSurroundings, mayColour, mayDrawSigns } from "../surroundings";
import { writeOutputFile } from "../write-file";
import { toPicture } from "./picture";
import { argumentsOf, resultOf, settingsOf, toReport } from "./report";
import { toScene } from "./scene";
import { toTimeline } from "./timeline";
import { judge, type ScheduleOptions, type Verdict } from "./verdict";

/** What `iam-tokens schedule` does. */
export const action: Action<ScheduleOptions> = async (options, _operands, surroundings) => {
  const { stdout, stderr, workingFolder } = surroundings;
  const verdict = read(options, surroundings);
  if (verdict === undefined) return 2;
  const scene = toScene(verdict.settings, verdict.rule);
  if (options.svg !== undefined)
    writeOutputFile(resolve(workingFolder, options.svg), toPicture(verdict, scene));
  if (options.json === true) {
    stdout.write(`${JSON.stringify(toReport(verdict, scene), null, 2)}\n`);
  } else {
    const { result, sum } = resultOf(verdict);
    const timeline = toTimeline(scene, {
      columns: stdout.columns ?? 100,
      colour: mayColour(stdout, surroundings.env),
      unicode: mayDrawSigns(stdout, surroundings.env),
    });
    stdout.write(
      [settingsOf(verdict), "", result, sum, ...argumentsOf(verdict), "", timeline].join("\n"),
    );
  }
  if (verdict.refusal === undefined) return 0;
  stderr.write(`${verdict.refusal.message}\n`);
  return 1;
};

/** Undefined, and said on stderr, when the command line cannot be read. */
function read(options: ScheduleOptions, { stderr }: CliSurroundings): Verdict | undefined {
  try {
    return judge(options);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    stderr.write(`${error.message}\n`);
    return undefined;
  }
}
