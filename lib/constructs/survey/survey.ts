import { TerraformOutput, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import type { Finding, StackRegistry, Survey } from "../declarations/registry";
import { annotateUses } from "./annotations";
import { clashes } from "./clashes";
import { carriedUses, foreignUses, isCarriedElsewhere } from "./foreign-uses";
import { outputMistakes } from "./hcl-output";
import { annotateDoubtfulUses, annotateVisibleUses, misuses } from "./misuse";
import { repeatedBlockMistakes } from "./repeated-block";
import { secretsInPlans } from "./secrets-in-plans";
import { synthMistakes } from "./synth-tokens";
import { elementsOf, usesIn } from "./uses";

/**
 * Examines a stack as a whole: clashes of names, uses in other stacks and in places that take no
 * such value, output that would drop a token. It also adds notes about unused tokens and about
 * `data` tokens in planned values.
 */
export function surveyStack(
  stack: TerraformStack,
  stackFolder: string,
  registry: StackRegistry,
): Survey {
  const constructs = new Set<IConstruct>(stack.node.findAll());
  // A program may have removed some since.
  const isThere = ({ construct }: { readonly construct: IConstruct }) => constructs.has(construct);
  const tokens = registry.tokens.filter(isThere);
  const identities = registry.identities.filter(isThere);
  const elements = elementsOf(stack);
  const outputs = elements.filter((element) => TerraformOutput.isTerraformOutput(element));
  const uses = usesIn(stack, elements, tokens).filter(({ record }) => tokens.includes(record));
  annotateUses(tokens, uses);
  annotateDoubtfulUses(uses, { stack, stackFolder });
  annotateVisibleUses(uses);
  const all: Finding[] = [
    ...clashes({ tokens, identities, outputs: registry.outputs }, outputs),
    ...foreignUses(tokens),
    ...carriedUses(uses.filter(isCarriedElsewhere)),
    ...misuses(uses.filter((use) => !isCarriedElsewhere(use))),
    ...repeatedBlockMistakes(stack, [...tokens, ...identities]),
    ...outputMistakes(stack, tokens),
    ...synthMistakes(tokens, elements, registry.pass),
    ...secretsInPlans(registry.secrets.filter(isThere), elements, { stack, stackFolder }),
  ];
  const findings = new Map<IConstruct, string[]>();
  for (const [construct, { message }] of all)
    findings.set(construct, [...(findings.get(construct) ?? []), message]);
  return { constructs, findings };
}
