import { resolve } from "node:path";
import type { Credential, TlsMaterial } from "../../identity";
import {
  type AuthUrl,
  addressOf,
  BLOCK,
  defined,
  escaped,
  IamTokensError,
  mayBeAt,
  ofProcess,
  Secret,
  setting,
  type UnresolvedUrl,
  words,
} from "../../tokens";
import { isKnown } from "../configuration/argument";
import { assertAllowedAuthUrl } from "../process/allow-list";
import type { IdentityAccess } from "../process/identity-access";
import { loadIdentity, loadPart } from "../process/load-part";
import type { ProcessContext } from "../process/process-context";
import { readNamedFile } from "../secrets/read-secret";
import type { SecretReader } from "../secrets/secret-reader";
import { identityOf, type Reading } from "../secrets/secret-reference";
import { are } from "../wording";
import { describeSource } from "./describe-source";
import { environmentSource, filesIn, partVariables } from "./environment-source";
import { type Judged, judged } from "./judged";
import type { ProviderBlock } from "./provider-block";
import type { CredentialDescription, FileReference, TlsFiles } from "./source";
import { selectedSource } from "./which-counts";

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
  if (known?.context === context) return known.description;
  const variables = partVariables(context);
  const found = await foundSource(block, variables, context);
  const unused = found.source.kind === "variables" ? [] : variables;
  const { files, ...more } = describeSource(found, unused);
  const description = { ...more, files: { ...files, ...own.files } };
  // The files of a cloud may change.
  if (found.source.kind !== "keys") described.set(block, { context, description });
  return description;
}

/** @throws the codes of {@link selectedSource} and of a cloud */
async function foundSource(
  block: ProviderBlock,
  variables: readonly string[],
  context: ProcessContext,
): Promise<Judged> {
  const selected = selectedSource(block, variables, context);
  const folder = currentFolder(block, context);
  if ("cloud" in selected) {
    const { cloud: name, source } = selected;
    return judged(await loadClouds().cloudSource({ name, source, folder }, context));
  }
  return selected.source === "block" ? block.judged : judged(environmentSource(context, folder));
}

/** Block and environment do not change, and a hundred tokens have one block. */
const described = new WeakMap<
  ProviderBlock,
  { readonly context: ProcessContext; readonly description: CredentialDescription }
>();

/**
 * It is loaded only here: the build puts it into `clouds.cjs`, because most users have no
 * clouds.yaml.
 */
function loadClouds(): typeof import("./cloud-source") {
  return loadPart(
    "reads clouds.yaml",
    () => require("./cloud-source") as typeof import("./cloud-source"),
  );
}

/** The folder for relative files in the environment or in a cloud. */
function currentFolder(
  { clouds_folder }: ProviderBlock,
  { workingFolder }: ProcessContext,
): string {
  return isKnown(clouds_folder) ? resolve(workingFolder, clouds_folder) : workingFolder;
}

/**
 * The files for TLS of a request that needs no credentials: those of the credentials, if there are
 * some for this service; otherwise the environment's, and the block's before these.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
export async function describeTlsFiles(
  authUrl: AuthUrl | UnresolvedUrl,
  block: ProviderBlock,
  context: ProcessContext,
): Promise<TlsFiles> {
  const credentials = await credentialsFor(authUrl, block, context);
  if (credentials !== undefined) return credentials.files;
  return { ...filesIn(context, currentFolder(block, context)), ...block.source.files };
}

/** The credentials for this service; undefined if there are none, or none without a mistake. */
async function credentialsFor(
  authUrl: AuthUrl | UnresolvedUrl,
  block: ProviderBlock,
  context: ProcessContext,
): Promise<CredentialDescription | undefined> {
  try {
    const description = await describeCredentials(block, context);
    const isHere =
      "v3" in authUrl
        ? mayBeAt(description.authUrl, authUrl.v3)
        : addressOf(description.authUrl) === authUrl.asked;
    return isHere ? description : undefined;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return undefined;
  }
}

/** Whether an address is the one that would issue now: by the block, or by its source. */
export async function issuesAt(
  authUrl: AuthUrl,
  tls: TlsMaterial | undefined,
  block: ProviderBlock,
  identity: IdentityAccess,
  context: ProcessContext,
  reading: Reading,
): Promise<boolean> {
  const credentials = await credentialsFor(authUrl, block, context);
  if (credentials === undefined) return false;
  const own = await resolved(credentials.authUrl, tls, identity, context, reading);
  return own.v3 === authUrl.v3;
}

/** Inputs of token issuing: the credential, and the files for TLS, if any. */
export interface ReadCredential {
  readonly credential: Credential;
  readonly tls?: TlsMaterial | undefined;
}

/**
 * Reads the secret and the files of a description, after a check that its address, and the one that
 * the service answers, are allowed. An identity token is only read when somebody signs in with it.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_ADDRESS_INVALID, ERR_CERTIFICATE_INVALID and the codes of
 * {@link SecretReader.read}
 */
export async function readCredential(
  description: CredentialDescription,
  context: ProcessContext,
  reader: SecretReader,
  reading: Reading,
): Promise<ReadCredential> {
  const { source, project, files, references, secret, addressFile, authUrl, ...more } = description;
  assertAllowedAuthUrl(authUrl, context);
  const tls = await readTlsFiles(files, context);
  const who = { ...more, authUrl: await resolved(authUrl, tls, reader.identity, context, reading) };
  const read = (signal: AbortSignal) =>
    reader.read(secret, { ...reading, signal }, who.way === "identity token");
  const credential: Credential =
    who.way === "identity token"
      ? {
          ...who,
          // Two credentials with the same place are the same.
          place: secret.kind === "value" ? secret.value : identityOf(secret),
          origin: secret.origin,
          readToken: read,
        }
      : { ...who, secret: await read(reading.signal) };
  return { credential, tls };
}

/**
 * The address where tokens are issued: of one without a version, what the service answers.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED and the codes of IdentityClient.discover
 */
export async function resolved(
  authUrl: AuthUrl | UnresolvedUrl,
  tls: TlsMaterial | undefined,
  identity: IdentityAccess,
  context: ProcessContext,
  { signal, log }: Reading = { signal: new AbortController().signal, log: () => {} },
): Promise<AuthUrl> {
  if ("v3" in authUrl) return authUrl;
  const found = await identity.client(log).discover({ authUrl, tls }, signal);
  assertAllowedAuthUrl(found, context, authUrl);
  return found;
}

/**
 * Reads and checks CA file, client certificate and key; undefined if none is given. Latin-1 takes
 * every byte: a PEM file may have comments in any encoding.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
export async function readTlsFiles(
  files: TlsFiles,
  context: ProcessContext,
): Promise<TlsMaterial | undefined> {
  const read = async (file: FileReference | undefined): Promise<string | undefined> =>
    file &&
    (await readNamedFile(file.path, file.origin, context, "ERR_CERTIFICATE_INVALID")).toString(
      "latin1",
    );
  const [ca, cert, key] = [await read(files.ca), await read(files.cert), await read(files.key)];
  const tls = defined({ ca, cert, key: key === undefined ? undefined : Secret.of(key) });
  if (Object.keys(tls).length === 0) return undefined;
  // Before a command for a secret is run, which may ask a person.
  loadIdentity().tlsContext(tls, undefined, {
    ca: words`The file ${placeOf(files.ca)}`,
    cert: words`The certificate ${placeOf(files.cert)} with the key ${placeOf(files.key)}`,
  });
  return tls;
}

const placeOf = (file: FileReference | undefined) =>
  file === undefined ? "" : words`${ofProcess(escaped(file.path))} (${file.origin})`;
