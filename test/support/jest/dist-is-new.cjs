const { join } = require("node:path");

/** Says once, before the unit tests of a run, that those which use dist test older code. */
module.exports = async function distIsNew() {
  const { isUpToDate } = await import("../../../lib/build/dist-folder.mjs");
  if (isUpToDate(join(__dirname, "../../../dist"))) return true;
  process.stderr.write("dist is not what lib would build: run npm run build first.\n");
  return false;
};
