import { resolve } from "node:path";
import type { Subject } from "../../identity";
import {
  BLOCK,
  defined,
  IamTokensError,
  parseAuthUrl,
  parseSharedAuthUrl,
  setting,
  words,
} from "../../tokens";
import type { TextArgument, WayName } from "../../tokens/ways";
import { isKnown } from "../configuration/argument";
import type { ProcessContext } from "../process/process-context";
import { are } from "../wording";
import { environmentSource, partVariables } from "./environment-source";
import { type Judged, judged, missing } from "./judged";
import type { ProviderBlock } from "./provider-block";
import { referencesOf, toReference } from "./references";
import type { CredentialDescription, TlsFiles } from "./source";
import { type SelectedSource, selectedSource } from "./which-counts";

/**
 * Finds the one source of the credentials, and describes them. The only secrets that it reads are
 * those in clouds.yaml or secure.yaml, which also contain the address. The block's files for TLS are
 * used with each source: they only decide whom to trust.
 *
 * @throws the codes of the source
 */
export async function describeCredentials(
  block: ProviderBlock,
  context: ProcessContext,
): Promise<CredentialDescription> {
  const { source: own, mistakes } = block;
  if (own.unknown.length > 0)
    throw new IamTokensError(
      "ERR_CREDENTIALS_UNKNOWN",
      words`${BLOCK.capitalized()}'s ${are(own.unknown.map(setting))} not known yet.`,
    );
  for (const { error } of mistakes) throw error;
  const known = described.get(block);
  if (known !== undefined) return known;
  const variables = partVariables(context);
  const of = await sourceOf(block, selectedSource(block, variables, context), context);
  const unused = of.source.kind === "variables" ? [] : variables;
  const description = describeSource(of, unused, own.files);
  described.set(block, description);
  return description;
}

async function sourceOf(
  block: ProviderBlock,
  selected: SelectedSource,
  context: ProcessContext,
): Promise<Judged> {
  if (selected.givenBy === "block") return block.judged;
  const folder = currentFolder(block, context);
  if (!("cloud" in selected)) return judged(environmentSource(context, folder));
  // Loaded only here: the build puts it into clouds.cjs, as most users have no clouds.yaml.
  const { cloudSource } = require("./cloud-source") as typeof import("./cloud-source");
  return judged(await cloudSource(selected, folder, context));
}

/** A hundred tokens have one block; the next Terraform makes another, and reads files again. */
const described = new WeakMap<ProviderBlock, CredentialDescription>();

/** The folder for relative files in the environment or in a cloud. */
export function currentFolder(
  { clouds_folder }: ProviderBlock,
  { workingFolder }: ProcessContext,
): string {
  return isKnown(clouds_folder) ? resolve(workingFolder, clouds_folder) : workingFolder;
}

/**
 * The description of the credentials in a source, which gives exactly one way of signing in.
 *
 * @param unused variables of the environment that are not used with this source
 * @param files those that count before the source's
 * @throws its first mistake, or that a part is {@link missing}
 */
function describeSource(
  of: Judged,
  unused: readonly string[],
  files: TlsFiles,
): CredentialDescription {
  const { source, way, mistakes } = of;
  for (const { error } of mistakes) throw error;
  const texts = new Map(source.given.map(({ argument, text }) => [argument, text]));
  const text = (argument: TextArgument) => texts.get(argument);
  const references = referencesOf(text);
  const subject = subjectOf(way.name, text, toReference(references.user));
  const address = text("auth_url");
  const secret = source.given.flatMap((each) => each.secret ?? [])[0];
  if (subject === undefined || address === undefined || secret === undefined)
    throw missing(of, unused);
  // A block's address is used as it is completed; others are those of all clients.
  const parse = source.kind === "arguments" ? parseAuthUrl : parseSharedAuthUrl;
  return {
    ...subject,
    givenBy: source.givenBy,
    kind: source.kind,
    authUrl: parse(address),
    secret,
    files: { ...source.files, ...files },
    references,
    ...defined({ project: source.project }),
  };
}

/** Who signs in; undefined if a part of it is missing. */
function subjectOf(
  way: WayName,
  text: (argument: TextArgument) => string | undefined,
  user: Extract<Subject, { way: "password" }>["user"] | undefined,
): Subject | undefined {
  switch (way) {
    case "password":
      return user && { way, user };
    case "application credential": {
      const [id, name] = [text("application_credential_id"), text("application_credential_name")];
      if (id !== undefined) return { way, by: { id } };
      return name !== undefined && user ? { way, by: { name, user } } : undefined;
    }
    case "identity token": {
      const [identityProvider, protocol] = [text("identity_provider"), text("protocol")];
      return identityProvider !== undefined && protocol !== undefined
        ? { way, identityProvider, protocol }
        : undefined;
    }
  }
}
