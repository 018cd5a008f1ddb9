import { execFileSync } from "node:child_process";
import path from "node:path";

test("the generated file is what the schema makes, byte by byte", () => {
  const generate = path.join(__dirname, "../../../lib/plugin/protocol/generate.mjs");
  expect(() =>
    execFileSync(process.execPath, [generate, "--check"], { stdio: "pipe", env: {} }),
  ).not.toThrow();
});
