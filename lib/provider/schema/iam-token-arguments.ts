import type { AttributeSchema } from "../../plugin/provider";
import { argument } from "./attribute";

/** What every object of an IAM token takes. */
export const IAM_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  scope: argument(
    "string",
    '"account" for resources of the account, "project" for those of one project. There is no default.',
    {
      required: true,
    },
  ),
  project_name: argument(
    "string",
    'Name of the project, with scope = "project". By default OS_PROJECT_NAME, when the environment gives the credentials.',
  ),
  min_remaining: argument(
    "string",
    'How long the token must still live when it is handed out, as a duration ("2h"). By default a token is handed out again while ' +
      "2 h, or half of a shorter lifetime, are left.",
  ),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for: each must fall under the provider's base_url, else no token is handed out. Without a base_url " +
      "they are checked to be addresses.",
  ),
};
