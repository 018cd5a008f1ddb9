const { statSync } = require("node:fs");
const Sequencer = require("@jest/test-sequencer").default;

/** Milliseconds per byte of a test file, by its group: rough values, for a clean clone. */
const PACE = {
  scenarios: 2,
  opentofu: 2,
  programs: 5,
  "terrain-programs": 5,
  build: 2,
  // Its tests are in other files.
  keystone: 30,
  languages: 10,
  load: 1,
};
/** Of the other groups; tests of these folders start processes. */
const paceOf = (path) => (/\/test\/(built|cli|house|plugin)\//.test(path) ? 1 : 0.2);

/** Bytes that any file takes from others: the short ones do not begin last. */
const SHARED = 3_000;

/**
 * Files that take long begin first: no worker ends up alone with one. After the first run, jest's
 * own cache knows their times; until then, and always in CI, the size is a hint, and files of all
 * groups are mixed.
 */
module.exports = class LongestFirst extends Sequencer {
  time(test) {
    const { context, path } = test;
    const pace = PACE[context.config.displayName?.name] ?? paceOf(path);
    return super.time(test) ?? (statSync(path).size + SHARED) * pace;
  }
};
