import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { IamTokensError } from "../../tokens";
import { attachedNote, type ProcessContext } from "../process/process-context";
import type { SecretReference } from "../secrets/secret-reference";
import { ALLOWED_AUTH_URLS } from "./allowed-auth-urls";
import type { ProviderBlock } from "./provider-block";

/** Where a provider's passwords are: those of its blocks, as they are configured. */
const places = new WeakMap<ProcessContext, Set<string>>();

/** Records where the password of a provider block is. */
export function notePasswordPlace(block: ProviderBlock, processContext: ProcessContext): void {
  const noted = places.get(processContext) ?? new Set();
  places.set(processContext, noted);
  const { password_env: env, password_file: file } = block;
  if (typeof env === "string") noted.add(`env ${env}`);
  if (typeof file === "string") noted.add(`file ${realPath(file, processContext)}`);
}

/**
 * Refuses a static token that is this provider's password, if the pipeline lists the addresses that
 * passwords may be sent to: a static token has no such list.
 *
 * @throws ERR_STATIC_SOURCE_INVALID
 */
export function assertNoPassword(reference: SecretReference, processContext: ProcessContext): void {
  if (reference.kind === "value" || processContext.variables[ALLOWED_AUTH_URLS] === undefined)
    return;
  const noted = places.get(processContext);
  const isPassword =
    reference.kind === "env"
      ? reference.name === "OS_PASSWORD" || noted?.has(`env ${reference.name}`) === true
      : noted?.has(`file ${realPath(reference.path, processContext)}`) === true;
  if (!isPassword) return;
  throw new IamTokensError(
    "ERR_STATIC_SOURCE_INVALID",
    `${reference.kind} names this provider's password, but ${ALLOWED_AUTH_URLS} restricts where passwords may be sent.${attachedNote(processContext)}`,
    { remedy: "Keep the static token in its own variable or file." },
  );
}

function realPath(path: string, { workingFolder }: ProcessContext): string {
  const absolute = resolve(workingFolder, path);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}
