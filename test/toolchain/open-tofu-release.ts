/** The version of OpenTofu that tests and demo use where a machine has no Terraform. */
export const OPEN_TOFU = "1.12.6";

/**
 * SHA-256 of the release's zip files. Each was found, the same, in two or more public records that
 * do not depend on each other (package recipes of Arch Linux, Chocolatey and Hermit, and pins of
 * other projects), not only where the file itself comes from.
 */
const SUMS: Readonly<Record<string, string>> = {
  darwin_amd64: "166388e5feed47e107e11721b6366bf91d21e47eccbced75f3cbe0c7184ffd9b",
  darwin_arm64: "e083ee43790ab9e19ad66d9933e24a7244a1412e1d5728f37999ae2163fdac95",
  linux_amd64: "5dc43da4f750f33873dc25e94587128709e819e544b7be9016b255316153c3a8",
  linux_arm64: "e573979ba68a17fe7b881752051a694a7efcd970e39521f6a25775197861ed4d",
  windows_amd64: "0d1421721cf9ec24b41b698a9620dda218d47fa7e76ac3dc15cdbc13bd79b0bb",
};

/** A zip file with one program in it. */
export interface Release {
  readonly version: string;
  readonly url: string;
  /** Of the zip file, in hex. */
  readonly sha256: string;
  /** The program's name in it. */
  readonly program: string;
}

const OF_GO: Readonly<Record<string, string>> = { win32: "windows", x64: "amd64" };

/** The release for a platform of Node.js; undefined where no record of its sum was found. */
export function releaseFor(
  platform: string = process.platform,
  arch: string = process.arch,
): Release | undefined {
  const name = [platform, arch].map((word) => OF_GO[word] ?? word).join("_");
  const sha256 = SUMS[name];
  if (sha256 === undefined) return undefined;
  const folder = `https://github.com/opentofu/opentofu/releases/download/v${OPEN_TOFU}`;
  return {
    version: OPEN_TOFU,
    url: `${folder}/tofu_${OPEN_TOFU}_${name}.zip`,
    sha256,
    program: platform === "win32" ? "tofu.exe" : "tofu",
  };
}
