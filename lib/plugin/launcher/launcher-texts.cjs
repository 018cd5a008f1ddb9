// The contents of the launcher and of main.cjs, from the files of this folder.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const NODE_ARGUMENTS = require("./node-arguments.json");
const REMOVED_VARIABLES = require("./removed-variables.json");

const textOf = (name) => readFileSync(join(__dirname, name), "utf8");

/** Replaces the names in capitals between double underscores by their values. */
function filled(text, values) {
  return text.replaceAll(/__([A-Z_]+)__/g, (name, key) => {
    if (values[key] === undefined) throw new Error(`${name} has no value.`);
    return values[key];
  });
}

const withoutComments = (text) => text.replaceAll(/^ *\/\/.*\n|^\n/gm, "");

/**
 * The first lines of a program.
 *
 * - `title`: the subject of the sentence about a Node.js that is too old
 * - `minimumNode`: the oldest Node.js that runs the program
 * - `descriptor`: for the sentence: 1 or 2
 */
function firstLines({ title, minimumNode, descriptor }) {
  return filled(withoutComments(textOf("first-lines.cjs")), {
    TITLE: JSON.stringify(title),
    MINIMUM_NODE: JSON.stringify(minimumNode),
    DESCRIPTOR: descriptor,
  });
}

/**
 * The launcher, and `main.cjs`, which loads the provider next to it.
 *
 * - `title`, `minimumNode`: see `firstLines`
 * - `extraCaVariable`: passes NODE_EXTRA_CA_CERTS on, for TLS connections
 * - `handoverVariable`: switches the hand-over off by any value but `1`
 * - `prefix`: of the names of the hand-over's folders
 * - `withNode`: whether Node.js is next to it
 */
function launcherTexts(values) {
  const { title, minimumNode, extraCaVariable, handoverVariable, prefix, withNode } = values;
  const beside = withNode ? textOf("node-beside.sh") : "";
  // Its comments stay: sh is not faster without them.
  const script = filled(textOf("launcher.sh").replace("__NODE_BESIDE__\n", beside), {
    TITLE: title,
    NODE: withNode ? '"$node"' : "node",
    MINIMUM_NODE: minimumNode,
    EXTRA_CA_VARIABLE: extraCaVariable,
    HANDOVER_VARIABLE: handoverVariable,
    PREFIX: prefix,
    REMOVED_VARIABLES: REMOVED_VARIABLES.join(" "),
    NODE_ARGUMENTS: NODE_ARGUMENTS.join(" "),
  });
  const main =
    firstLines({ title, minimumNode, descriptor: 1 }) + withoutComments(textOf("main.cjs"));
  return { script, main };
}

module.exports = { NODE_ARGUMENTS, REMOVED_VARIABLES, filled, firstLines, launcherTexts };
