/**
 * The environment of Node.js, without three costs of jest: modules that each test file compiles
 * again, globals that are slow to reach, and data that a test file leaves to later ones in the same
 * worker. Without it, the unit tests take 1.4 times the processor's time (1,447 tests in 67 files:
 * 28.5 s, with it 20.3 s); all of them pass, so that it may go when jest no longer has these costs:
 * `testEnvironment: "node"`, and `testHasFailed` below.
 */
const async_hooks = require("node:async_hooks");
const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");
const { assertTitles } = require("./titles.cjs");

// jest compiles each module for each test file. Here a worker compiles it once; each test file
// still evaluates it, in its own realm.
const scripts = new Map();
const { compileFunction } = vm;
vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  // A script is bound to the import() of the test file that compiled it.
  if (parsingContext === undefined || /\bimport\s*\(/.test(source))
    return compileFunction(source, parameters, options);
  let known = scripts.get(filename);
  if (known?.source !== source) {
    const head = `(function (${parameters.join(", ")}) {`;
    const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    known = { source, script };
    scripts.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

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
    await super.teardown();
  }
};
