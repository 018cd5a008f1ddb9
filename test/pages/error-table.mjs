// docs/api/errors.md, from the codes of errors and warnings.

import { cell, code, from, page, sourceOf, table } from "./markdown.mjs";

const { ERROR_CODES } = await from("tokens/error-codes.ts");
const { WARNINGS } = await from("constructs/warnings.ts");

/** The parts of the list, by the comments that stand over them in the code. */
function sections() {
  const found = [];
  const lines = sourceOf("tokens/error-codes.ts").matchAll(
    /^ {2}\/\/ (.+?)\.?$|^ {2}(ERR_[A-Z0-9_]+):/gm,
  );
  for (const [, title, name] of lines) {
    if (title !== undefined) found.push({ title, names: [] });
    else found.at(-1).names.push(name);
  }
  if (found.flatMap(({ names }) => names).join() !== Object.keys(ERROR_CODES).join())
    throw new Error("the sections of lib/tokens/error-codes.ts are not its codes");
  return found;
}

const rowOf = (name) => [code(name), ...ERROR_CODES[name].map(cell)];

export const errorPage = () =>
  page(
    "# Error codes",
    "",
    "<!-- Made from lib/tokens/error-codes.ts and lib/constructs/warnings.ts by `npm run docs`. -->",
    "",
    "Every error has one of these stable codes: in brackets at the end of its headline, and as `code` of what is thrown.",
    "Below it are the block in Terraform, the construct's path (here `first/identity`), and the next step:",
    "",
    "```text",
    "Error: The environment variable SERVICE_USER_PASSWORD (serviceUser.password of first/identity) is not set [ERR_SECRET_MISSING]",
    "",
    "  with ephemeral.iam_token.web,",
    "Set the variable, then run again.",
    "```",
    "",
    ...sections().flatMap(({ title, names }) => [
      `## ${title}`,
      "",
      table(["code", "when", "next step"], names.map(rowOf)),
      "",
    ]),
    "## Warnings of a synthesis",
    "",
    "`cdktf synth` prints them.",
    "",
    ...Object.entries(WARNINGS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
  );
