import { IamTokensError } from "../../tokens";
import { longestInterval } from "../../tokens/rotation/calendar";
import { parseCron } from "../../tokens/rotation/cron";
import { planRotation } from "../../tokens/rotation/rotation-plan";
import { toInterval, toRotationSettings } from "../../tokens/rotation/rotation-settings";
import type { Action } from "../command";
import type { ScheduleOptions } from "./options";

/** What `iam-tokens schedule` does. */
export const action: Action<ScheduleOptions> = async (options, _operands, { stdout }) => {
  const interval = options.cron === undefined ? toInterval(options.every) : longestInterval(parseCron(options.cron));
  const settings = toRotationSettings(interval, {});
  if (options.every !== undefined && options.cron !== undefined) throw new IamTokensError("ERR_USAGE", "Both.");
  stdout.write(`${JSON.stringify(planRotation(settings))}\n`);
  return 0;
};
