/** A file of its own in dist. */
export { Cron } from "croner";
