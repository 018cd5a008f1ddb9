// What Stryker has jest run: the tests of one room, which `main.mjs` names, as `npm test` does.

const { projects } = require("../../jest.config.cjs");

const tests = process.env.IAM_TOKENS_MUTANTS_TESTS.split(" ");

module.exports = {
  rootDir: "../..",
  roots: ["<rootDir>/lib", "<rootDir>/test"],
  testMatch: tests.map((name) => `<rootDir>/test/${name}.test.ts`),
  transform: projects[0].transform,
  cacheDirectory: process.env.IAM_TOKENS_MUTANTS_CACHE,
};
