import type { Described, Domain, Naming, User } from "../../identity";
import { defined } from "../../tokens";
import type { TextArgument } from "../../tokens/ways";

/**
 * The domains and the user that a source names. Some are sent; others are only compared with the
 * answer.
 */
export interface References {
  /** Of account tokens. */
  readonly account?: Naming;
  /** Of projects by name. */
  readonly projectDomain?: Naming;
  /** The same, if it was given as theirs: it is compared even if a project has an id. */
  readonly ownProjectDomain?: Naming;
  /** The same, or the account: that of a project which is not sent, but compared. */
  readonly saidProjectDomain?: Naming;
  readonly user: Described;
}

/**
 * The references in a source, by the texts of its settings. The account is the domain of whatever
 * has a name, and no other domain; without an account, the project's domain is the account, or else
 * the user's.
 */
export function referencesOf(text: (argument: TextArgument) => string | undefined): References {
  const naming = (id: TextArgument, name: TextArgument): Naming | undefined => {
    const given = defined({ id: text(id), name: text(name) });
    return Object.keys(given).length === 0 ? undefined : given;
  };
  const account = naming("account_domain_id", "account_id");
  const userDomain = naming("user_domain_id", "user_domain_name");
  const ownProjectDomain = naming("project_domain_id", "project_domain_name");
  const user = naming("user_id", "user_name");
  // An id needs no domain: only one that was given as the user's is compared.
  const isByName = user !== undefined && user.id === undefined;
  return {
    user: defined({ ...user, domain: userDomain ?? (isByName ? account : undefined) }),
    ...defined({
      account: account ?? ownProjectDomain ?? userDomain,
      projectDomain: ownProjectDomain ?? account ?? userDomain,
      ownProjectDomain,
      saidProjectDomain: ownProjectDomain ?? account,
    }),
  };
}

/** The reference to a domain, as requests have it. */
export function toDomain({ id, name = "" }: Naming): Domain {
  return id === undefined ? { name } : { id };
}

/** The reference to a user or a project; undefined if its name lacks a domain. */
export function toReference({ id, name, domain }: Described): User | undefined {
  if (id !== undefined) return { id };
  return name === undefined || domain === undefined
    ? undefined
    : { name, domain: toDomain(domain) };
}
