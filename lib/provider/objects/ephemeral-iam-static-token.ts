import type { EphemeralResource } from "../../plugin/provider";
import { pathTo } from "../argument-path";
import { toDiagnostic } from "../diagnostics";
import type { IamSession } from "../iam-session";
import { EPHEMERAL_IAM_STATIC_TOKEN } from "../schema/ephemeral-iam-static-token";
import type { Surroundings } from "../surroundings";
import { toSecretReference, validateStaticToken } from "./static-token-arguments";
import { readStaticToken, toStaticTokenResult } from "./static-token-result";

/**
 * `ephemeral "iam_static_token"`: looked up when Terraform opens it. Makes no request and needs no
 * credentials.
 */
export function ephemeralIamStaticToken(surroundings: Surroundings): EphemeralResource<IamSession> {
  return {
    schema: EPHEMERAL_IAM_STATIC_TOKEN,
    validate: validateStaticToken,
    async open(config) {
      const mistakes = validateStaticToken(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      const reference = toSecretReference(config);
      try {
        return {
          result: toStaticTokenResult(config, await readStaticToken(reference, surroundings)),
        };
      } catch (error) {
        return {
          diagnostics: [toDiagnostic(error, pathTo(reference.kind, config[reference.kind]))],
        };
      }
    },
  };
}
