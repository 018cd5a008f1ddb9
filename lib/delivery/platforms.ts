/** Platforms of Terraform. Each has its own folder, and Terraform searches only that one. */
export const PLATFORMS: readonly string[] = [
  "linux_amd64",
  "linux_arm64",
  "darwin_amd64",
  "darwin_arm64",
  "windows_amd64",
];

/** Terraform's names of systems and processors that have another one in Node.js. */
const NAMES: Readonly<Record<string, string>> = { win32: "windows", x64: "amd64", ia32: "386" };

/** This machine, by Terraform's name in folders. */
export function thisPlatform(): string {
  return [process.platform, process.arch].map((name) => NAMES[name] ?? name).join("_");
}
