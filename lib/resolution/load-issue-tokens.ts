import type { IssueTokens } from "./issuing";

/**
 * Loads what does it: the provider's own code, with an HTTP client. Only here, so that a program
 * that never asks for a token does not load it; and not by `import()`, which TypeScript wants with
 * a file extension that no test runner here resolves.
 */
export function loadIssueTokens(): IssueTokens {
  return (require("./issue-tokens") as { readonly issueTokens: IssueTokens }).issueTokens;
}
