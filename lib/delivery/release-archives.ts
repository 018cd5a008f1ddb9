import { createHash } from "node:crypto";
import { join } from "node:path";
import { PROVIDER_TYPE } from "../provider/names";
import { IamTokensError, quote } from "../tokens";
import { readBytes, readText } from "./files";
import { PLATFORMS } from "./platforms";

/** The provider for a platform. */
export interface Archive {
  readonly platform: string;
  readonly name: string;
  readonly content: Buffer;
  /** Of the lock file: one is enough. */
  readonly hashes: readonly string[];
}

/** Above any real one: Terraform downloads each. */
const LIMIT_BYTES = 256 * 1024 * 1024;

/** The beginning of the names of a version's files, in mirrors and releases. */
export const releaseName = (version: string) => `terraform-provider-${PROVIDER_TYPE}_${version}`;

/**
 * The archives of a release that are in a folder, of all platforms or some: each is what the
 * release's SHA256SUMS next to it says.
 *
 * @throws ERR_PROVIDER_FILES_MISSING
 */
export function readReleaseArchives(folder: string, version: string): readonly Archive[] {
  const sumsName = `${releaseName(version)}_SHA256SUMS`;
  const sums = readText(join(folder, sumsName));
  if (sums === undefined)
    throw unusable(`${quote(join(folder, sumsName), "path")} cannot be read.`);
  const archives = PLATFORMS.flatMap((platform): readonly Archive[] => {
    const name = `${releaseName(version)}_${platform}.zip`;
    const content = readBytes(join(folder, name), LIMIT_BYTES);
    if (content === undefined) return [];
    const sum = createHash("sha256").update(content).digest("hex");
    if (!sums.split("\n").includes(`${sum}  ${name}`))
      throw unusable(`${quote(join(folder, name), "path")} is not what ${sumsName} says.`);
    return [{ platform, name, content, hashes: [`zh:${sum}`] }];
  });
  if (archives.length === 0)
    throw unusable(`${quote(folder, "path")} has no ${releaseName(version)}_OS_ARCH.zip.`);
  return archives;
}

const unusable = (fact: string) =>
  new IamTokensError("ERR_PROVIDER_FILES_MISSING", fact, {
    remedy:
      "Give the folder with the archives of this version's release and its SHA256SUMS, whose signature you have checked.",
  });
