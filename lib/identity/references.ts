import { quote } from "../tokens";

/** An account: Keystone's domain. Its name is the account number. */
export type Domain = { readonly id: string } | { readonly name: string };

/** A user, as requests have it: a name is unique only in its domain. */
export type User = { readonly id: string } | { readonly name: string; readonly domain: Domain };

/** A project, as requests have it. */
export type Project = User;

/** An id and a name of one thing, of which a request has the id, if there is one. */
export interface Naming {
  readonly id?: string;
  readonly name?: string;
}

/** A user or a project, as an answer names it. */
export interface Described extends Naming {
  readonly domain?: Naming;
}

/** Names that an answer must not contradict, although the request has only ids. */
export interface Expected {
  readonly user?: Described;
  readonly project?: Described;
  readonly domain?: Naming;
}

/** In messages: a name in quotes, or the words "with id". */
export function inWords(reference: Domain | User): string {
  return "id" in reference ? `with id ${quote(reference.id)}` : quote(reference.name);
}

/** The domain of a reference by name. */
export function domainOf(reference: User | undefined): Domain | undefined {
  return reference !== undefined && "domain" in reference ? reference.domain : undefined;
}
