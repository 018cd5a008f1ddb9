import type { EphemeralResource } from "../../plugin/provider";
import { flagArgument } from "../argument";
import { toWarning } from "../diagnostics";
import type { IamSession } from "../iam-session";
import type { OwnTokens } from "../own-tokens";
import { EPHEMERAL_IAM_TOKEN } from "../schema/ephemeral-iam-token";
import { validateIamToken } from "./iam-token-arguments";
import { toIamTokenResult, warningsOf } from "./iam-token-result";
import { failed, type TokenSource } from "./token-source";

/**
 * `ephemeral "iam_token"`: issued, or taken from what this process has issued, when Terraform opens
 * it.
 *
 * With `revoke_on_close` it is a token of its own. Its private data is a random id and nothing
 * else: the token and what is needed to revoke it stay in this process.
 */
export function ephemeralIamToken(
  source: TokenSource,
  ownTokens: OwnTokens,
): EphemeralResource<IamSession> {
  return {
    schema: EPHEMERAL_IAM_TOKEN,
    validate: validateIamToken,
    async open(config, context) {
      const mistakes = validateIamToken(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      try {
        if (flagArgument(config, "revoke_on_close") !== true) {
          const { issued } = await source.obtain(config, context, "memory");
          return { result: toIamTokenResult(config, issued), diagnostics: warningsOf(issued) };
        }
        const { issued, tls } = await source.issueOwn(config, context);
        const id = await ownTokens.keep(
          { issued, tls, session: context.session, log: context.log },
          context.signal,
        );
        return {
          result: toIamTokenResult(config, issued),
          private: Buffer.from(id),
          diagnostics: warningsOf(issued),
        };
      } catch (error) {
        return { diagnostics: failed(error, config, context) };
      }
    },
    async close(privateData) {
      try {
        await ownTokens.revoke(Buffer.from(privateData).toString());
        return [];
      } catch (error) {
        return [toWarning("A token could not be revoked: it lives until it expires", error)];
      }
    },
  };
}
