/**
 * The environment of Node.js, without four costs of jest: modules that each test file reads and
 * compiles again, globals that are slow to reach, and data that a test file leaves to later ones in
 * the same worker. Without it, the unit tests took 1.4 times the processor's time; all of them pass,
 * so that it may go when jest no longer has these costs: `testEnvironment: "node"`, and what is said
 * of tests below: `testHasFailed`, titles, and programs, which no unit test starts.
 */
const async_hooks = require("node:async_hooks");
const programs = require("node:child_process");
const vm = require("node:vm");
const fs = require("graceful-fs");
const { TestEnvironment } = require("jest-environment-node");
const { assertTitles } = require("./titles.cjs");

// jest compiles each module for each test file. Here a worker compiles it once; each test file
// still evaluates it, in its own realm.
const scripts = new Map();
const { compileFunction } = vm;
vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  let known = scripts.get(filename);
  if (known?.source !== source) {
    // A script is bound to the import() of the test file that compiled it. (Not one in a comment.)
    if (parsingContext === undefined || /^(?!\s*\/?\*).*\bimport\s*\(/m.test(source))
      return compileFunction(source, parameters, options);
    const head = `(function (${parameters.join(", ")}) {`;
    const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    known = { source, script };
    scripts.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

// The same for reading: a package's files stay as they are.
const { readFileSync, statSync } = fs;
const OF_PACKAGE = /\/node_modules\/(?!\.cache\/)/;
const ofPackages = (read, readOnce = read) => {
  const known = new Map();
  return (path, ...options) => {
    if (options.length > 0 || !OF_PACKAGE.test(path)) return read(path, ...options);
    if (!known.has(path)) known.set(path, readOnce(path));
    return known.get(path);
  };
};
fs.statSync = ofPackages(statSync);
fs.readFileSync = ofPackages(readFileSync, (path) => {
  const buffer = readFileSync(path);
  const text = buffer.toString();
  return Object.assign(buffer, { toString: () => text });
});

// jest makes an AsyncLocalStorage for each test file and leaves it enabled: each promise and timer
// of the files that come after is entered in all of them, and their memory stays.
const storages = new Set();
async_hooks.AsyncLocalStorage = class extends async_hooks.AsyncLocalStorage {
  constructor(...options) {
    super(...options);
    storages.add(this);
  }
};

const { createContext } = vm;

const started = { ...programs };
const refuse = () => {
  throw new Error("A unit test starts no program: test/groups.cjs.");
};

module.exports = class extends TestEnvironment {
  #titles = [];
  #file;

  constructor(...given) {
    // In the context that jest makes, each use of a global goes through functions of Node.js and of
    // jest. In this one it is as fast as in any program.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
    this.#file = given[1].testPath;
    if (given[0].projectConfig.displayName.name === "unit")
      for (const name of Object.keys(programs)) programs[name] = refuse;
  }

  handleTestEvent({ name, testName }, { currentDescribeBlock }) {
    // For what is done after a test that has failed: test/scenarios/world.ts.
    if (name === "test_start") this.global.testHasFailed = false;
    if (name === "test_fn_failure") this.global.testHasFailed = true;
    if (name === "add_test") {
      const path = [testName];
      for (let at = currentDescribeBlock; at.parent !== undefined; at = at.parent)
        path.unshift(at.name);
      this.#titles.push(path.join(" "));
    }
    if (name === "run_start") assertTitles(this.#titles, this.#file);
  }

  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    Object.assign(programs, started);
    await super.teardown();
  }
};
