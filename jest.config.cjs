// The tests' groups. CONTRIBUTING.md says which npm script runs which.

const group = (displayName, ...testMatch) => ({
  displayName,
  testMatch: testMatch.map((pattern) => pattern.replace(/^!?/, "$&<rootDir>/test/")),
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }],
  },
});

module.exports = {
  projects: [
    group("unit", "**/*.test.ts", "!{scenarios,keystone,load}/**"),
    group("scenarios", "scenarios/**/*.test.ts"),
    group("keystone", "keystone/**/*.test.ts"),
    group("load", "load/**/*.test.ts"),
  ],
};
