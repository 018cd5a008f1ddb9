import type { BlockSchema, EphemeralResource } from "../../plugin/provider";
import { IN_MEMORY_ARGUMENTS, validateIamToken } from "./iam-token-arguments";
import type { OwnTokens } from "./own-tokens";
import { ended, idIn, opened } from "./renewal";
import { IAM_TOKEN_ATTRIBUTES, withIamToken } from "./token-attributes";
import { attempt, notRevoked, warningsOf } from "./token-diagnostics";
import type { IamSession, TokenRequests } from "./token-requests";

const SCHEMA: BlockSchema = {
  description:
    "An IAM token, issued when it is needed and never stored in plan or state. Unknown in a plan in which an argument is.",
  attributes: {
    ...IN_MEMORY_ARGUMENTS,
    ...IAM_TOKEN_ATTRIBUTES,
  },
};

/**
 * `ephemeral "iam_token"`: issued, or taken from this process's cache, when Terraform opens it.
 *
 * With `revoke_on_close`, the block gets its own token. Its private data has only a random id: the
 * token and everything needed to revoke it stay in this process.
 */
export function ephemeralIamToken(
  requests: TokenRequests,
  ownTokens: OwnTokens,
  now: () => number,
): EphemeralResource<IamSession> {
  return {
    schema: SCHEMA,
    validate: validateIamToken,
    open: (config, context) =>
      attempt(config, context, validateIamToken, async () => {
        const isOwn = config.revoke_on_close === true;
        const get = isOwn ? requests.issueOwn : requests.obtain;
        const { issued, tls } = await get(config, context);
        const result = { result: withIamToken(config, issued), diagnostics: warningsOf(issued) };
        // By this machine's clock, as Terraform's: the service's may be another.
        const endsAt = issued.receivedAt + issued.remainingMs;
        if (!isOwn) return { ...result, ...opened(endsAt) };
        const { session, log, signal } = context;
        const id = await ownTokens.keep({ issued, tls, session, log }, signal);
        return { ...result, ...opened(endsAt, id) };
      }),
    // A token cannot be renewed. Terraform 1.11 drops this warning, and prints that of the close.
    renew: async (privateData) => ended(privateData, now()),
    async close(privateData) {
      const late = ended(privateData, now());
      try {
        await ownTokens.revoke(idIn(privateData));
        return late;
      } catch (error) {
        return [...late, ...notRevoked(error)];
      }
    },
  };
}
