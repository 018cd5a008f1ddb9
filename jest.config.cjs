// The tests' groups. CONTRIBUTING.md says which npm script runs which.

const group = (displayName, folder, without = []) => ({
  displayName,
  testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
  testPathIgnorePatterns: without.map((name) => `<rootDir>/test/${name}/`),
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }],
  },
});

const SLOW = ["scenarios", "keystone", "load"];

module.exports = {
  projects: [group("unit", "*", SLOW), ...SLOW.map((name) => group(name, name))],
};
