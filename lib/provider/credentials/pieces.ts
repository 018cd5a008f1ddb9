import { type Surroundings, variableOf } from "../surroundings";
import type { ProviderArgument, ProviderBlock } from "./provider-block";

/**
 * One of the four pieces of a set of credentials: the arguments and the variables that can give it,
 * the usual one first.
 */
export interface Piece {
  readonly name: "address" | "account" | "user" | "password";
  readonly arguments: readonly [ProviderArgument, ...ProviderArgument[]];
  readonly variables: readonly [string, ...string[]];
}

/** What a set of credentials is made of. */
export const PIECES: readonly Piece[] = [
  { name: "address", arguments: ["auth_url"], variables: ["OS_AUTH_URL"] },
  {
    name: "account",
    arguments: ["account_id"],
    variables: ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"],
  },
  { name: "user", arguments: ["user_name"], variables: ["OS_USERNAME"] },
  {
    name: "password",
    arguments: ["password", "password_env", "password_file"],
    variables: ["OS_PASSWORD"],
  },
];

/** The arguments of the block that give this piece; one that is not known yet counts. */
export function argumentsGiving(piece: Piece, block: ProviderBlock): readonly ProviderArgument[] {
  return piece.arguments.filter((name) => block[name] !== null);
}

/** The variables that give this piece. */
export function variablesGiving(piece: Piece, surroundings: Surroundings): readonly string[] {
  return piece.variables.filter((name) => variableOf(surroundings, name) !== undefined);
}
