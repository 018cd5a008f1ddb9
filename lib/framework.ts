/**
 * The framework of this package, by its name on npm, which is also that of its command line.
 *
 * Two packages are made from this source: cdktf-iam-tokens, and cdktn-iam-tokens for CDK Terrain.
 * The second is packed with another name here and in imports of the framework
 * (lib/build/terrain.mjs).
 */
export const FRAMEWORK = { name: "cdktf" };

/** This package. */
export const OWN_PACKAGE = `${FRAMEWORK.name}-iam-tokens`;
