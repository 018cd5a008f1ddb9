// Packs the languages whose tools are here; the tests of the others are skipped, and named.

import { languagesHere } from "./languages-here.mjs";

const here = languagesHere();
process.argv.splice(2, process.argv.length, ...here);
if (here.length > 0) await import("../../lib/pack.mjs");
