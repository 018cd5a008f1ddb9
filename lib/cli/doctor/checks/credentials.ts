import type { CredentialDescription } from "../../../provider/credentials/credential-description";
import { readCredential } from "../../../provider/credentials/read-credential";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { crossOf, type Finding, ok, skipped, warning } from "../finding";
import type { Service } from "../services";

/**
 * Whether each provider block finds its credentials here. They are read, as the provider would, and
 * dropped.
 */
export const checkCredentials: Check = async (scene) => {
  const services = await scene.services();
  if (services.length === 0) {
    return [
      skipped(
        "No stack has a provider block that needs credentials, and the environment (OS_…) gives none.",
      ),
    ];
  }
  const found: Finding[] = [];
  for (const service of services) found.push(...(await findingsOf(service)));
  return found;
};

async function findingsOf({
  about,
  description,
  error,
  unknown,
  surroundings,
  literalPassword,
}: Service): Promise<readonly Finding[]> {
  if (error !== undefined) return [crossOf(error, about)];
  if (unknown !== undefined || description === undefined) {
    return [skipped(`${about}: ${unknown ?? "something"} is known to Terraform only.`)];
  }
  try {
    await readCredential(description, surroundings);
  } catch (failed) {
    return [crossOf(failed, about)];
  }
  const { remark } = description;
  return [
    ...(literalPassword
      ? [
          warning(
            `${about}: the password stands in the configuration itself.`,
            "Refer to it: password_env or password_file.",
          ),
        ]
      : []),
    ...(remark === undefined ? [] : [warning(`${about}: ${remark}`, "See docs/credentials.md.")]),
    ok(
      `${about}: ${quote(description.userName)} of account ${quote(description.accountId)}, ${passwordFrom(description)}.`,
    ),
  ];
}

function passwordFrom({ source, password }: CredentialDescription): string {
  if (source === "cloud") return "from clouds.yaml";
  if (password.kind === "env") return `password from the variable ${password.name}`;
  return password.kind === "file"
    ? `password from the file ${pathInShell(password.path)}`
    : "password in the configuration";
}
