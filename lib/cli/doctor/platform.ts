/** This machine, as Terraform calls it in the names of folders. */
export function thisPlatform(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  return `${os}_${architectures[process.arch] ?? process.arch}`;
}
