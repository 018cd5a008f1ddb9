// The names under which the packages are published. ARCHITECTURE.md, "Other languages", gives the
// reasons.

/**
 * The organization of the repository, and of the names in Go and Java: Maven Central and Go require
 * proof that it belongs to the publisher. TO BE CLAIMED by the owner before the first release, or
 * changed here; docs/languages.md repeats the names in Go and Java (test/pages/pages.test.ts).
 */
const OWNER = "cdktf-iam-tokens";

/** The place of the source, which each registry requires; npm checks it for provenance. */
export const REPOSITORY = `https://github.com/${OWNER}/cdktf-iam-tokens`;

/** The provider's address in Terraform's and OpenTofu's registries. */
export const REGISTRY_SOURCE = `${OWNER}/iam`;

/** The fields of a package's manifest that name this place. */
export const PLACES = {
  homepage: `${REPOSITORY}#readme`,
  repository: { type: "git", url: `git+${REPOSITORY}.git` },
  bugs: { url: `${REPOSITORY}/issues` },
};

/** A page of docs, for readers of a package that does not contain it. */
export const pageOf = (page) => `${REPOSITORY}/blob/main/docs/${page}`;

/** jsii's settings for each language (`jsii.targets` of a manifest), by the framework's name. */
export function targetsOf(framework) {
  const name = `${framework}-iam-tokens`;
  return {
    python: { distName: name, module: name.replaceAll("-", "_") },
    go: { moduleName: `github.com/${OWNER}/${name}-go`, packageName: "iamtokens" },
    java: {
      package: `io.github.${OWNER.replaceAll("-", "_")}.${framework}`,
      maven: { groupId: `io.github.${OWNER}`, artifactId: name },
    },
  };
}
