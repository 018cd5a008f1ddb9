import { ROTATION_DEFAULTS } from "../../rotation/rotation-settings";
import { type CliCommand, EXIT } from "../command";
import { judge, type ScheduleOptions } from "./verdict";

/** `iam-tokens schedule`. */
export const command: CliCommand = {
  description:
    "Checks whether tokens that rotate when a pipeline re-applies on a schedule can ever expire while something still " +
    "uses them.\n\nDurations: 90m, 6h, 1h30m. Times are UTC.",
  options: [
    ["--every <duration>", "The longest time between two planned runs.", { conflicts: ["cron"] }],
    ["--cron <expression>", 'The schedule as five cron fields, in UTC: "0 */6 * * *".'],
    [
      "--missed <n>",
      `How many runs may be missed, or fail, between two successful pushes. (default: ${ROTATION_DEFAULTS.missedRuns})`,
    ],
    [
      "--start-delay <duration>",
      `The longest delay of a run's start: queue, random delay, lock. (default: ${ROTATION_DEFAULTS.startDelay})`,
    ],
    [
      "--longest-apply <duration>",
      `The longest run, until the last consumer has the new token. (default: ${ROTATION_DEFAULTS.longestApply})`,
    ],
    [
      "--clock <duration>",
      `How far the clocks of runner and service may differ. (default: ${ROTATION_DEFAULTS.clockUncertainty})`,
    ],
    ["--lifetime <duration>", `How long a token lives. (default: ${ROTATION_DEFAULTS.lifetime})`],
    [
      "--pushed",
      "For a token that is pushed into another system instead of being stored in Terraform's state.",
      { conflicts: ["readBack"] },
    ],
    [
      "--stored",
      "With --pushed: each plan looks at what the store holds (stored_token_wo), so the next run repeats a failed push.",
    ],
    [
      "--read-back",
      "For a token in the state whose every consumer is read at each run: outputs, and arguments that their provider reads back.",
    ],
  ],
  help: (called) => `  ${called} --every 6h
  ${called} --cron "30 */4 * * *" --missed 2 --longest-apply 45m
  ${called} --every 1h --pushed --stored

Exit code: 0 no gap, 1 a gap, 2 wrong arguments.`,

  action: async (command, { stdout, now }) => {
    judge(command.opts<ScheduleOptions>(), now(), (line) => stdout.write(`${line}\n`));
    return EXIT.ok;
  },
};
