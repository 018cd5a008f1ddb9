import { IamTokensError } from "../../tokens";
import type { CliContext } from "../cli-context";
import type { Action } from "../command";
import { argumentsOf, resultOf, settingsOf } from "./report";
import { judge, type ScheduleOptions, type Verdict } from "./verdict";

/** The action of `iam-tokens schedule`. */
export const action: Action<ScheduleOptions> = async (options, _operands, context) => {
  const { stdout, stderr } = context;
  const verdict = read(options, context);
  if (verdict === undefined) return 2;
  const { result, sum } = resultOf(verdict);
  stdout.write(`${[settingsOf(verdict), "", result, sum, ...argumentsOf(verdict)].join("\n")}\n`);
  if (verdict.refusal === undefined) return 0;
  stderr.write(`${verdict.refusal.message}\n`);
  return 1;
};

/** Undefined, after a message on stderr, if the command line is not valid. */
function read(options: ScheduleOptions, { stderr, now }: CliContext): Verdict | undefined {
  try {
    return judge(options, now());
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    stderr.write(`${error.message}\n`);
    return undefined;
  }
}
