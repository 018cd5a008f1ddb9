import type { TerraformStack } from "cdktf";
import { IamTokensError } from "../../tokens";
import type { BlockArguments } from "../blocks/block";
import type { Finding, TokenRecord } from "../declarations/registry";
import { LeafReader } from "./leaves";

/** References that only a block with for_each or count, or its provisioners, can use. */
const INSIDE = /(?<![\w.-])(?:each\.(?:key|value)|count\.index|self\.\w+)/;

/** Such an expression may define these names itself. */
const FOR = /[[{]\s*for\s/;

/**
 * Arguments that refer to the block that uses them: `headersFor(iterator.value)` in a resource with
 * for_each. A token has its own block, which is not repeated, and Terraform would refuse the
 * reference there.
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
        `${argument} refers to ${inside}, which is known only inside a repeated block.`,
        {
          allowed: "literals, variables, local values, attributes of resources and data sources",
          remedy:
            "Loop in the program, with a construct or a headersFor(url) for each, instead of for_each and count.",
        },
      ),
    ];
  });
}
