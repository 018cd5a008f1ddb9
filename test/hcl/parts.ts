import fc from "fast-check";

/** Parts of HCL, and what only looks like it. */
export const part = fc.constantFrom(
  "a.b",
  " ",
  "\n",
  '"x${',
  '"s"',
  "}",
  '"',
  "{",
  "(",
  ")",
  "[]",
  "# c\n",
  "==",
  "1",
  "/* d */",
  "<<E\nE\n",
  "%{",
  "\\u",
  "$",
  "é",
  "\ud800",
);
