// The globals of jest for tests that mocha runs: jest would load every file anew for each mutant,
// mocha loads them once. Of `jest` as much as the mutated rooms' tests use.
//
// The room hcl has 64 mutants: 11 s by mocha; by jest, whose start alone takes a second, over a
// minute; a room such as provider/credentials has two thousand.

const { ModernFakeTimers } = require("@jest/fake-timers");
const { expect } = require("expect");
const { bind } = require("jest-each");
const { ModuleMocker } = require("jest-mock");
const { SnapshotState, ...snapshots } = require("jest-snapshot");

/** For what hangs: mocha itself would wait until Stryker starts it anew. */
const TIMEOUT = 60_000;

/** `before`, `after` and the like, without the argument that mocha takes for a callback. */
const timed = (register) => (body, timeout) =>
  register(function () {
    this.timeout(timeout ?? TIMEOUT);
    return body();
  });

/** Mocha sets its own of this name before each file; the files see the one that is given. */
function instead(name, ofJest) {
  let ofMocha;
  Object.defineProperty(globalThis, name, {
    get: () => ofJest,
    set(value) {
      ofMocha = value;
    },
  });
  return (...all) => ofMocha(...all);
}

const test = (title, body, timeout) => timed((inTime) => mochasIt(title, inTime))(body, timeout);

test.each = bind(test, false);
const mochasIt = instead("it", test);

const describe = (title, body) => mochasDescribe(title, body);
describe.each = bind(describe, false);
describe.skip = () => undefined;
const mochasDescribe = instead("describe", describe);

// Jest would collect the failures of a test until its end.
const atOnce = (matcher) =>
  function (...given) {
    return matcher.call({ ...this, dontThrow: undefined }, ...given);
  };
expect.extend({
  toMatchSnapshot: atOnce(snapshots.toMatchSnapshot),
  toThrowErrorMatchingSnapshot: atOnce(snapshots.toThrowErrorMatchingSnapshot),
});

/** As jest has it. */
const snapshotFormat = { escapeString: false, printBasicPrototype: false };

exports.mochaHooks = {
  beforeEach() {
    const { file, fullTitle } = this.currentTest;
    const path = file.replace(/([^/]+)$/, "__snapshots__/$1.snap");
    const snapshotState = new SnapshotState(path, { updateSnapshot: "none", snapshotFormat });
    expect.setState({ currentTestName: fullTitle.call(this.currentTest), snapshotState });
  },
};

const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

Object.assign(globalThis, {
  expect,
  test,
  beforeAll: (body) => timed(globalThis.before)(body),
  afterAll: (body) => timed(globalThis.after)(body),
  jest: {
    fn: mocks.fn.bind(mocks),
    spyOn: mocks.spyOn.bind(mocks),
    requireActual: require,
    setTimeout: () => undefined,
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
  },
});
