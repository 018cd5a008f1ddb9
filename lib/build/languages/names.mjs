// The names of a package in each language. ARCHITECTURE.md, "Other languages", gives the reasons.

/** jsii's settings for each language (`jsii.targets` of a manifest), by the framework's name. */
export function targetsOf(framework) {
  const name = `${framework}-iam-tokens`;
  const title = `${framework[0].toUpperCase()}${framework.slice(1)}`;
  return {
    python: { distName: name, module: name.replaceAll("-", "_") },
    go: { moduleName: `github.com/cdktf-iam-tokens/${name}-go`, packageName: "iamtokens" },
    java: {
      package: `io.github.cdktf_iam_tokens.${framework}`,
      maven: { groupId: "io.github.cdktf-iam-tokens", artifactId: name },
    },
    dotnet: { namespace: `${title}.IamTokens`, packageId: `${title}.IamTokens` },
  };
}

/** The place of the source, which each registry requires. */
export const REPOSITORY = "https://github.com/cdktf-iam-tokens/cdktf-iam-tokens";
