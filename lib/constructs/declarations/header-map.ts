import { Fn, type IResolveContext } from "cdktf";
import { IamTokensError } from "../../tokens";

/**
 * A map of headers, which cdktf writes as it is.
 *
 * cdktf turns the keys of plain maps inside a provider's block into snake case (`X-Auth-Token`
 * would become `x_auth_token`), but leaves resolvables that are not plain objects alone. So this is
 * both: to a program a map, which can be read and filled; to cdktf a resolvable that becomes that
 * map only when the block is written.
 */
class HeaderMap {
  // On the prototype: own and enumerable are only the headers.
  resolve(context: IResolveContext): unknown {
    const headers = { ...this };
    // Inside an expression (Fn.merge and the like) cdktf inserts what it gets as the expression's
    // text.
    return context.suppressBraces ? context.resolve(Fn.tomap(headers)) : headers;
  }

  /** In a string, JavaScript would write `[object Object]`. */
  toString(): never {
    const [name] = Object.keys(this);
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `A map of headers (${name}) is used in a string.`,
      {
        remedy:
          "Give the map itself; for text, name header and token: `$" +
          "{token.headerName}: $" +
          "{token.value}`.",
      },
    );
  }
}

/** Makes the map of one header. */
export function headerMap(name: string, value: string): { [name: string]: string } {
  const map: { [name: string]: string } = Object.create(HeaderMap.prototype);
  map[name] = value;
  return map;
}
