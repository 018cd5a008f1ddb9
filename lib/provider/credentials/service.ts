import type { TlsMaterial } from "../../identity";
import {
  type AuthUrl,
  defined,
  IamTokensError,
  ofProcess,
  quote,
  Secret,
  type UnresolvedUrl,
  words,
} from "../../tokens";
import { assertAllowedAuthUrl } from "../process/allow-list";
import type { IdentityAccess } from "../process/identity-access";
import { loadIdentity } from "../process/load-identity";
import type { ProcessContext } from "../process/process-context";
import { readNamedFile } from "../secrets/read-secret";
import type { Reading } from "../secrets/secret-reference";
import { currentFolder, describeCredentials } from "./describe-credentials";
import { filesIn } from "./environment-source";
import type { ProviderBlock } from "./provider-block";
import type { CredentialDescription, FileReference, TlsFiles } from "./source";

/** A service that requests may be sent to. */
export interface Service {
  /** Where tokens are issued: of an address without a version, what the service answers. */
  readonly authUrl: AuthUrl;
  readonly tls: TlsMaterial | undefined;
}

const ALONE: Reading = { signal: new AbortController().signal, log: () => {} };

/**
 * The service of a description, after a check that its address, and the one that it answers, are
 * allowed.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_CERTIFICATE_INVALID and the codes of IdentityClient.discover
 */
export async function serviceOf(
  { authUrl, files }: Pick<CredentialDescription, "authUrl" | "files">,
  identity: IdentityAccess,
  context: ProcessContext,
  { signal, log }: Reading = ALONE,
): Promise<Service> {
  assertAllowedAuthUrl(authUrl, context);
  const tls = await readTlsFiles(files, context);
  if ("v3" in authUrl) return { authUrl, tls };
  const found = await identity.client(log).discover({ authUrl, tls }, signal);
  assertAllowedAuthUrl(found, context);
  return { authUrl: found, tls };
}

/**
 * The service of a request that needs no credentials, with the files for TLS of those that there
 * are; otherwise the environment's, and the block's before these.
 *
 * @throws as {@link serviceOf}
 */
export async function serviceAt(
  authUrl: AuthUrl | UnresolvedUrl,
  block: ProviderBlock,
  identity: IdentityAccess,
  context: ProcessContext,
  reading?: Reading,
): Promise<Service> {
  // Before a file of clouds is read, which has secrets.
  assertAllowedAuthUrl(authUrl, context);
  const { files } = await describeCredentials(block, context).catch((error: unknown) => {
    if (!IamTokensError.is(error)) throw error;
    return { files: { ...filesIn(context, currentFolder(block, context)), ...block.source.files } };
  });
  return serviceOf({ authUrl, files }, identity, context, reading);
}

/**
 * Reads and checks CA file, client certificate and key; undefined if none is given. Latin-1 takes
 * every byte: a PEM file may have comments in any encoding.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
async function readTlsFiles(
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
  loadIdentity(context).tlsContext(tls, undefined, {
    ca: words`The file ${placeOf(files.ca)}`,
    cert: words`The certificate ${placeOf(files.cert)} with the key ${placeOf(files.key)}`,
  });
  return tls;
}

const placeOf = (file: FileReference | undefined) =>
  file === undefined ? "" : words`${ofProcess(quote(file.path, "path"))} (${file.origin})`;
