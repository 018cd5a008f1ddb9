// What the launcher starts, after the first lines of each program: see first-lines.cjs.

// Replacements of Node.js (Bun, Deno) serve only one launch, because they lack features for the
// server of a hand-over; the launcher then silently starts one server for its launch.
if (process.argv[2] === "handover" && (process.versions.bun || process.versions.deno))
  process.exit(1);
require("./provider.cjs");
