import { inWords } from "../../identity/references";
import type { CtyObject } from "../../plugin/cty/value";
import type { CredentialDescription } from "../../provider/credentials/source";
import { formatDuration, quote } from "../../tokens";
import { issueToken } from "../as-provider";
import type { Check } from "./check";
import { type Finding, failureOf, ok, skipped, warning } from "./finding";
import { type Service, subjectOf } from "./services";

/**
 * Whether the service really issues the tokens: each of the declared scopes once. They are dropped
 * at once, and expire by themselves.
 */
export const checkIssue: Check = async ({ services, issue }) => {
  if (issue === undefined) return skipped("No token was requested: add --issue.");
  const issued = new Map<string, Promise<Finding>>();
  const found: Finding[] = [];
  for (const service of services) {
    const { description, requests, processContext } = service;
    if (description === undefined) continue;
    const declared = requests.flatMap(({ known, unknown }) => (unknown ? [] : [known]));
    const wanted = issue === true ? declared : [{ scope: "project", project_name: issue }];
    for (const request of wanted.length === 0 ? [{ scope: "account" }] : wanted) {
      const key = JSON.stringify([description, request]);
      // A second request with a wrong password may lock its user.
      const finding = issued.get(key) ?? issueOne(description, request, processContext);
      issued.set(key, finding);
      found.push({ ...(await finding), ...subjectOf(service) });
    }
  }
  return found.length === 0 ? skipped("There are no usable credentials.") : found;
};

async function issueOne(
  description: CredentialDescription,
  request: CtyObject,
  processContext: Service["processContext"],
): Promise<Finding> {
  const { scope, project_name: project, project_id: id } = request;
  const named = id ? inWords({ id: String(id) }) : project ? quote(String(project)) : undefined;
  const what = `A token for the ${named === undefined ? String(scope) : `project ${named}`}`;
  try {
    const { issued, tookMs } = await issueToken(description, request, processContext);
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    const text = `${what} was issued in ${Math.ceil(tookMs)} ms; it is valid for ${lifetime}.`;
    return issued.warnings.length === 0
      ? ok(text)
      : warning(`${text} ${issued.warnings.join(" ")}`, "Investigate; the token was still issued.");
  } catch (error) {
    const { text, ...rest } = failureOf(error);
    return { ...rest, text: `${what}: ${text}` };
  }
}
