import type { IssueRequest, Proof } from "../credential";
import { type Heard, membersOf } from "./answer";

/** Expectations for an answer. */
export interface IssueContext
  extends Pick<IssueRequest, "scope" | "expected" | "storedIn" | "terms"> {
  readonly credential: Proof;
  /** Whether the credential got a token before. Default: no. */
  readonly wasAccepted?: boolean;
}

/** An id and a name, as far as an answer has them. */
export type Answered = { readonly [Key in "id" | "name"]?: string | undefined };

/**
 * The part of a successful answer's body that is read. A member that is not of its form counts as
 * missing: the service's specification does not describe the body, so it guarantees none of it.
 * Each does so by itself: an unreadable time cannot hide a scope that names another project.
 *
 * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token", 5
 */
export type IssuedTokenBody = ReturnType<typeof bodyOf>;

/** The `token` of the answer's body; without members if that is missing or not Keystone's. */
export function bodyOf({ json }: Heard) {
  const { expires_at, issued_at, user, domain, project, system } = membersOf(membersOf(json).token);
  return {
    // Of another form, it is one that cannot be read.
    expires_at: textOf(expires_at) ?? (expires_at == null ? undefined : ""),
    issued_at: textOf(issued_at),
    user: answeredOf(user),
    password_expires_at: textOf(membersOf(user).password_expires_at),
    userDomain: answeredOf(membersOf(user).domain),
    domain: answeredOf(domain),
    project: answeredOf(project),
    projectDomain: answeredOf(membersOf(project).domain),
    system: answeredOf(system),
  };
}

/** A number counts as its digits: a service that omits the quotes still means that name. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

function answeredOf(value: unknown): Answered | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id, name } = membersOf(value);
  return { id: textOf(id), name: textOf(name) };
}
