import { spawnSync } from "node:child_process";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

const scratch = useScratch();

/** Runs a program in a stack of a framework. */
function stderrOf(framework: string, rest: string): string {
  const program = `
    const { App, TerraformStack } = require("${framework}");
    const tokens = require("./dist/index.js");
    const app = new App({ outdir: ${JSON.stringify(scratch.folder)} });
    const stack = new TerraformStack(app, "a");
    ${rest}`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", program], {
    cwd: packageRoot,
    env: scratch.env,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  return stderr;
}

test("an uncaught error is read at once: above it is one statement, no bundle", () => {
  const stderr = stderrOf("cdktf", `tokens.SecretRef.env("");`);
  const [above = "", message = ""] = stderr.split("IamTokensError: ");
  expect(message).toMatch(/^The argument of SecretRef\.env .*\[ERR_PROP_INVALID\]\n/);
  // As the program names the class, not as the bundler does.
  expect(message).toContain("at new SecretRef (");
  // Once, and not again as a property.
  expect(stderr.match(/The argument of|ERR_/g)).toHaveLength(2);
  expect(above).toMatch(/^\/.*\/dist\/index\.js:\d+\n.*throw .*\n +\^\n\n$/);
});

test("so is one of a pass before synthesis, whose list is the last thing in a log", () => {
  const stderr = stderrOf(
    "cdktf",
    `const source = tokens.SecretRef.env("NOPE");
    new tokens.StaticTokenRef(stack, "t", { source, resolution: tokens.TokenResolution.synth() });
    tokens.resolveTokens(app);`,
  );
  expect(stderr).toMatch(
    /\n\[IamTokensError: .* failed:\n +\[a\/t\] .*\n.*\[ERR_RESOLUTION_FAILED\]\]\n\nNode/,
  );
});
