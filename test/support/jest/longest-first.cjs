const { statSync } = require("node:fs");
const Sequencer = require("@jest/test-sequencer").default;

/** Milliseconds per byte of a test file: a rough value, for a clean clone. */
const PACE = {
  unit: 0.2,
  scenarios: 2,
  programs: 4,
  opentofu: 1,
  keystone: 1,
  languages: 10,
  load: 1,
};

/**
 * Files that take long begin first: no worker ends up alone with one. After the first run, jest's
 * own cache knows their times; until then, the size is a hint, and files of all groups are mixed.
 */
module.exports = class LongestFirst extends Sequencer {
  time(test) {
    const { config } = test.context;
    return super.time(test) ?? statSync(test.path).size * (PACE[config.displayName?.name] ?? 1);
  }
};
