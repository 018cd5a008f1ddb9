import type { BlockSchema, EphemeralResource } from "../../plugin/provider";
import type { ProcessContext } from "../process/process-context";
import { lookUp, STATIC_TOKEN_ARGUMENTS, validateStaticToken } from "./static-token";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";
import type { IamSession } from "./token-source";

const SCHEMA: BlockSchema = {
  description: "A static token, read when it is needed and never stored in plan or state.",
  attributes: { ...STATIC_TOKEN_ARGUMENTS, ...STATIC_TOKEN_ATTRIBUTES },
};

/** `ephemeral "iam_static_token"`: read when Terraform opens it. */
export function ephemeralIamStaticToken(
  processContext: ProcessContext,
): EphemeralResource<IamSession> {
  return {
    schema: SCHEMA,
    validate: validateStaticToken,
    open: (config) => lookUp(config, processContext),
  };
}
