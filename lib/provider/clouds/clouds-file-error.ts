import { IamTokensError } from "../../tokens";
import type { CloudsFile } from "./cloud-value";

/**
 * A clouds file that cannot be used. Says where, and never what stands there: it may be the
 * password.
 */
export function invalidFile(
  file: Pick<CloudsFile, "path">,
  problem: string,
  more: { line?: number; remedy?: string } = {},
): IamTokensError {
  const where = more.line === undefined ? "" : `, line ${more.line}`;
  return new IamTokensError(
    "ERR_CLOUDS_FILE_INVALID",
    `The file ${JSON.stringify(file.path)}${where}: ${problem}.`,
    {
      ...(more.remedy === undefined ? {} : { remedy: more.remedy }),
    },
  );
}
