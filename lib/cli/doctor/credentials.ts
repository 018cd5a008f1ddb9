import type { Subject, User } from "../../identity";
import { inWords } from "../../identity/references";
import { toDomain } from "../../provider/credentials/references";
import { assertIdentityToken, claimsOf, describeClaims, quote } from "../../tokens";
import { withCredential } from "../as-provider";
import type { Check, DoctorContext } from "./check";
import { type Finding, failureOf, ok, skipped } from "./finding";
import { type Service, subjectOf } from "./services";

/**
 * Whether each provider block finds its credentials here. They are read as the provider would read
 * them, and dropped. A command, which may be a stranger's in a fresh checkout, is run only when a
 * token is requested.
 */
export const checkCredentials: Check = (context) =>
  context.services.length === 0
    ? skipped(
        "No stack has a provider block that needs credentials, and the environment (OS_…) has none.",
      )
    : Promise.all(
        context.services.map(async (service) => ({
          ...(await credentialsOf(service, context).catch(failureOf)),
          ...subjectOf(service),
        })),
      );

async function credentialsOf(
  { description, error, unknown, processContext }: Service,
  { now, issue }: DoctorContext,
): Promise<Finding> {
  if (error !== undefined) throw error;
  if (description === undefined) return skipped(`Only Terraform knows ${unknown}.`);
  const { references, secret } = description;
  const account = references.user.domain ?? references.account;
  const of = account === undefined ? "" : ` of account ${inWords(toDomain(account))}`;
  const by = secret.kind === "env" ? `the variable ${secret.name}` : secret.origin;
  const text = `${whoOf(description)}${of}, by ${by}`;
  if (secret.kind === "command" && issue === undefined)
    return ok(`${text}, which was not run: --issue runs it.`);
  return withCredential(description, processContext, async ({ credential }, _, signal) => {
    if (credential.way !== "identity token") return ok(`${text}.`);
    const token = await credential.readToken(signal);
    assertIdentityToken(token, credential.origin);
    return ok(`${text} (${describeClaims(claimsOf(token), now())}).`);
  });
}

/** Of a user, of an application credential, or who vouches for it. */
function whoOf(subject: Subject): string {
  const named = (user: User) => ("id" in user ? `the user ${inWords(user)}` : quote(user.name));
  switch (subject.way) {
    case "password":
      return named(subject.user);
    case "application credential": {
      const { by } = subject;
      return "id" in by ? quote(by.id) : `${quote(by.name)} of ${named(by.user)}`;
    }
    case "identity token":
      return quote(`${subject.identityProvider}/${subject.protocol}`);
  }
}
