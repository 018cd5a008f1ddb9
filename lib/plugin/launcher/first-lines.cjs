// The first lines of each program of this package, in syntax that any Node.js understands.
// launcher-texts.cjs replaces the names in capitals between double underscores, and drops comments.

// A Node.js that is too old would fail later, at the first feature that it does not have.
(function () {
  var have = process.versions.node.split(".").map(Number);
  var need = __MINIMUM_NODE__.split(".").map(Number);
  var said = __TITLE__ + " needs Node.js " + __MINIMUM_NODE__ + " or newer; this is ";
  if ((have[0] - need[0] || have[1] - need[1] || have[2] - need[2]) < 0) {
    require("fs").writeSync(__DESCRIPTOR__, said + process.versions.node + ".\n");
    process.exit(1);
  }
})();
