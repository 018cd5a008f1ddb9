import type { TerraformStack } from "cdktf";
import { IamTokensError } from "../../tokens";
import type { BlockArguments } from "../blocks/block";
import type { Finding, TokenRecord } from "../blocks/registry";
import { LeafReader } from "./leaves";

/** What only a block with for_each or count, or its provisioners, can refer to. */
const INSIDE = /(?<![\w.-])(?:each\.(?:key|value)|count\.index|self\.\w+)/;

/** In such an expression the names may be its own. */
const FOR = /[[{]\s*for\s/;

/**
 * Arguments that refer to the block they were handed over in: `headersFor(iterator.value)` in a
 * resource with for_each. A token has a block of its own, which is not repeated, and Terraform
 * would refuse that one.
 */
export function repeatedBlockMistakes(
  stack: TerraformStack,
  records: readonly Pick<TokenRecord, "construct" | "arguments">[],
): Finding[] {
  const reader = new LeafReader(stack);
  const found = new Map<string, Finding>();
  for (const { construct, arguments: given } of records) {
    for (const mistake of mistakesIn(given(), reader))
      found.set(`${construct.node.addr} ${mistake.message}`, [construct, mistake]);
  }
  return [...found.values()];
}

function mistakesIn(given: BlockArguments, reader: LeafReader): IamTokensError[] {
  return reader.read(given).flatMap(({ path: [argument], text }) => {
    const [inside] = INSIDE.exec(text) ?? [];
    if (inside === undefined || FOR.test(text)) return [];
    return [
      new IamTokensError(
        "ERR_PROP_INVALID",
        `${argument} refers to ${inside}, which is known only inside of a block that is repeated.`,
        {
          allowed: "literals, variables, local values, attributes of resources and data sources",
          remedy:
            "Loop in the program, with a construct or a headersFor(url) for each, instead of for_each and count.",
        },
      ),
    ];
  });
}
