import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { IamTokensError } from "../../tokens";
import { attachedNote, type Surroundings } from "../process/surroundings";
import type { SecretReference } from "../secrets/secret-reference";
import { ALLOWED_AUTH_URLS } from "./allowed-auth-urls";
import type { ProviderBlock } from "./provider-block";

/** Where the passwords of a provider are: its blocks', as they are configured. */
const places = new WeakMap<Surroundings, Set<string>>();

/** Notes where the password of a provider block is. */
export function notePasswordPlace(block: ProviderBlock, surroundings: Surroundings): void {
  const noted = places.get(surroundings) ?? new Set();
  places.set(surroundings, noted);
  const { password_env: env, password_file: file } = block;
  if (typeof env === "string") noted.add(`env ${env}`);
  if (typeof file === "string") noted.add(`file ${realPath(file, surroundings)}`);
}

/**
 * Refuses a static token that is the password of this provider, where the pipeline lists the
 * addresses that passwords may go to: as a static token it would go anywhere.
 *
 * @throws ERR_STATIC_SOURCE_INVALID
 */
export function assertNoPassword(reference: SecretReference, surroundings: Surroundings): void {
  if (reference.kind === "value" || surroundings.variables[ALLOWED_AUTH_URLS] === undefined) return;
  const noted = places.get(surroundings);
  const isPassword =
    reference.kind === "env"
      ? reference.name === "OS_PASSWORD" || noted?.has(`env ${reference.name}`) === true
      : noted?.has(`file ${realPath(reference.path, surroundings)}`) === true;
  if (!isPassword) return;
  throw new IamTokensError(
    "ERR_STATIC_SOURCE_INVALID",
    `${reference.kind} names the password of this provider, and ${ALLOWED_AUTH_URLS} says where passwords may go.${attachedNote(surroundings)}`,
    { remedy: "Keep the static token in a variable or a file of its own." },
  );
}

function realPath(path: string, { workingFolder }: Surroundings): string {
  const absolute = resolve(workingFolder, path);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}
