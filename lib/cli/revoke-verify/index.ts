/** The commands about the tokens of a state: one bundle, as they share nearly all of it. */
export { command as revoke } from "./revoke";
export { command as verify } from "./verify";
