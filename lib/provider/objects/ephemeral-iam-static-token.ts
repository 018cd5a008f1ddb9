import type { BlockSchema, EphemeralResource } from "../../plugin/provider";
import type { Surroundings } from "../process/surroundings";
import { lookUp, STATIC_TOKEN_ARGUMENTS, validateStaticToken } from "./static-token";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";
import type { IamSession } from "./token-source";

const SCHEMA: BlockSchema = {
  description: "A static token, looked up when it is needed and never in plan or state.",
  attributes: { ...STATIC_TOKEN_ARGUMENTS, ...STATIC_TOKEN_ATTRIBUTES },
};

/** `ephemeral "iam_static_token"`: looked up when Terraform opens it. */
export function ephemeralIamStaticToken(surroundings: Surroundings): EphemeralResource<IamSession> {
  return {
    schema: SCHEMA,
    validate: validateStaticToken,
    open: (config) => lookUp(config, surroundings),
  };
}
