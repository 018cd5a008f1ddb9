/** Platforms of Terraform. Each has its own folder, and Terraform searches only that one. */
export const PLATFORMS = [
  "linux_amd64",
  "linux_arm64",
  "darwin_amd64",
  "darwin_arm64",
  "windows_amd64",
] as const;

const SYSTEMS: Readonly<Record<string, string>> = { win32: "windows", sunos: "solaris" };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** This machine, by Terraform's name in folders. */
export function thisPlatform(): string {
  const { platform, arch } = process;
  return `${SYSTEMS[platform] ?? platform}_${ARCHITECTURES[arch] ?? arch}`;
}

/** Whether Terraform finds our provider on this machine. */
export function hasOwnFolder(): boolean {
  return PLATFORMS.some((platform) => platform === thisPlatform());
}
