import type { DataSource } from "../../plugin/provider";
import type { IamSession } from "../iam-session";
import { DATA_IAM_TOKEN } from "../schema/data-iam-token";
import { validateIamToken } from "./iam-token-arguments";
import { toIamTokenResult, warningsOf } from "./iam-token-result";
import { failed, type TokenSource } from "./token-source";

/** `data "iam_token"`: issued, or taken from what this process has issued, at each plan. */
export function dataIamToken(source: TokenSource): DataSource<IamSession> {
  return {
    schema: DATA_IAM_TOKEN,
    validate: validateIamToken,
    async read(config, context) {
      const mistakes = validateIamToken(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      try {
        const { issued } = await source.obtain(config, context, "state");
        return { state: toIamTokenResult(config, issued), diagnostics: warningsOf(issued) };
      } catch (error) {
        return { diagnostics: failed(error, config, context) };
      }
    },
  };
}
