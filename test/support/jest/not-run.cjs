/**
 * The reporter that names tests that did not run: each skipped test with its reason, and each group
 * with its needs and the command that runs it.
 */
module.exports = class NotRun {
  constructor({ testPathPatterns, testNamePattern }, groups) {
    this.groups = groups;
    // A run of selected files needs no such list.
    this.asked = testPathPatterns.isSet() || testNamePattern;
  }

  onRunComplete(contexts, { testResults }) {
    if (this.asked) return;
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .filter(({ status }) => status === "pending")
      .map(({ fullName }) => `skipped: ${fullName}`);
    const ran = new Set([...contexts].map(({ config }) => config.displayName?.name));
    const others = Object.entries(this.groups)
      .filter(([name]) => !ran.has(name))
      .map(([name, { needs, of = name }]) => `not run: ${name} (${needs}): npm test -- ${of}`);
    const isPart = Number(process.env.IAM_TOKENS_TEST_ONE_OF ?? 1) > 1;
    const rest = isPart
      ? ["not run: a part of long tables: npm test -- unit processes scenarios"]
      : [];
    const lines = [...skipped, ...rest, ...others];
    if (lines.length > 0) process.stderr.write(`\n${lines.join("\n")}\n`);
  }
};
