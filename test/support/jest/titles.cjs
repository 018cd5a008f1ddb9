const { readFileSync } = require("node:fs");

/**
 * Refuses a test file by the titles of its tests as they are printed: the reader of a failed run
 * has nothing else. A row of a table has a name of its own, in place of its index or its values.
 */
exports.assertTitles = (titles, file) => {
  const isNumbered = /[ ("]%#/.test(readFileSync(file, "utf8"));
  const problems = titles.flatMap((title, index) => [
    ...Object.entries(PROBLEMS)
      .filter(([, pattern]) => pattern.test(title))
      .map(([problem]) => `${problem}: ${title}`),
    ...(titles.indexOf(title) < index ? [`is there twice: ${title}`] : []),
  ]);
  if (isNumbered) problems.push("is an index: %#");
  if (problems.length > 0) throw new Error(`A test's title\n${problems.join("\n")}`);
};

const PROBLEMS = {
  "is longer than 160 characters": /^.{161}/s,
  "has a column that its row does not have": /(?<!")\$[a-z]\w*|%[sijop]/,
  "has a value that is not there": /\bundefined\b/,
  "has a printed object": /\{ ?("[^"]*":|\w+: )|\[(object|Array|Function)\b|\n/,
};
