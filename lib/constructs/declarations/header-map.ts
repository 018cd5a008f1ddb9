import type { IResolvable, IResolveContext } from "cdktf";

/**
 * A map of one header to its value, which cdktf writes as it is.
 *
 * cdktf turns the keys of plain maps inside a provider's block into snake case (`X-Auth-Token`
 * would become `x_auth_token`), but leaves resolvables that are not plain objects alone. So this is
 * both: to a program a map with one entry, which can be read and spread; to cdktf a resolvable that
 * becomes that map only when the block is written.
 */
class HeaderMap implements IResolvable {
  // The members of a resolvable are on the prototype: own and enumerable is only the header.
  get creationStack(): string[] {
    return [];
  }

  resolve(context: IResolveContext): unknown {
    const [[name, value]] = Object.entries(this) as [[string, string]];
    // Inside an expression (Fn.merge and the like) cdktf inserts the resolved value as the
    // expression's text.
    return context.suppressBraces ? `{"${name}" = ${context.resolve(value)}}` : { [name]: value };
  }

  toString(): string {
    return `(the header ${Object.keys(this).join()})`;
  }
}

/** Makes the map of one header. */
export function headerMap(name: string, value: string): { [name: string]: string } {
  return Object.assign(new HeaderMap() as object, { [name]: value });
}
