import type { TerraformOutput } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import { TERRAFORM_NAME } from "../blocks/block";
import type { Finding, StackRegistry } from "../declarations/registry";

/** Blocks of the same name in one stack: cdktf merges them, and the last one silently wins. */
export function clashes(
  registry: Pick<StackRegistry, "tokens" | "identities" | "outputs">,
  outputs: readonly TerraformOutput[],
): Finding[] {
  const findings: Finding[] = [];
  const blocks = new Map<string, IConstruct>();
  for (const token of registry.tokens) {
    const name = token.terraformName();
    if (!TERRAFORM_NAME.test(name)) findings.push([token.construct, unusableName(name)]);
    claim(blocks, token.address(), token.construct, findings);
  }
  const aliases = new Map<string, IConstruct>();
  for (const identity of registry.identities) {
    const alias = identity.alias();
    if (TERRAFORM_NAME.test(alias))
      claim(aliases, `the provider alias ${alias}`, identity.construct, findings);
    else findings.push([identity.construct, unusableName(alias)]);
  }
  findings.push(...outputClashes(registry, outputs));
  return findings;
}

function claim(
  taken: Map<string, IConstruct>,
  name: string,
  construct: IConstruct,
  findings: Finding[],
): void {
  const other = taken.get(name);
  if (other === undefined) {
    taken.set(name, construct);
    return;
  }
  const problem = `${other.node.path} has the same name in Terraform: ${name}.`;
  findings.push([construct, new IamTokensError("ERR_NAME_TAKEN", problem)]);
}

function unusableName(name: string): IamTokensError {
  return new IamTokensError(
    "ERR_NAME_INVALID",
    `The construct's id makes the Terraform name ${JSON.stringify(name)}.`,
    {
      allowed: "ids that make a name of letters, digits, _ and -, starting with a letter or _",
      remedy: "Give the construct another id.",
    },
  );
}

function outputClashes(
  { outputs: records }: Pick<StackRegistry, "outputs">,
  all: readonly TerraformOutput[],
): Finding[] {
  return records.flatMap(({ construct, outputs }) =>
    outputs.flatMap((output): Finding[] => {
      const name = output.friendlyUniqueId;
      const others = all.filter((other) => other !== output && other.friendlyUniqueId === name);
      if (others.length === 0) return [];
      const paths = others.map((other) => other.node.path).join(", ");
      const problem = `The output ${name} is also declared by ${paths}.`;
      return [[construct, new IamTokensError("ERR_OUTPUT_NAME_TAKEN", problem)]];
    }),
  );
}
