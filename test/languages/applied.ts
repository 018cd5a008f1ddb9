import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../scenarios/world";
import { installProvider } from "../support/go-providers";

/** The environment of ways.go and Ways.java, in addition to a language's. */
export function environmentOf(stage: Scenario): Readonly<Record<string, string>> {
  return {
    ...stage.secrets,
    AUTH_URL: stage.identity.authUrl,
    API_URL: stage.api.url,
    JOURNAL: join(stage.scratch.folder, "journal"),
    CI: "false",
  };
}

/**
 * Runs the program twice, with another keeper, and applies its stack `main` each time: each token
 * gets to where it is used, and the hook runs once for each rotation.
 */
export async function expectApplied(
  stage: Scenario,
  project: string,
  synthesize: (env: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<void> {
  const folder = (stack: string) => join(project, "cdktf.out/stacks", stack);
  for (const RELEASE of ["1", "2"]) {
    await synthesize({ ...environmentOf(stage), RELEASE });
    await installProvider(folder("main"), "null");
    await stage.succeed(folder("main"), ["init"]);
    await stage.succeed(folder("main"), ["apply", "-auto-approve"]);
  }
  const { stdout } = await stage.succeed(folder("main"), ["output", "-json"]);
  const { status, ci_value: stored } = JSON.parse(stdout);
  expect(status.value).toBe(200);
  expect(stage.identity.describeToken(stored.value).status).toBe("valid");
  expect(new Set(stage.calls())).toEqual(new Set(["/projects/web project web 200"]));
  const journal = readFileSync(environmentOf(stage).JOURNAL ?? "", "utf8");
  expect(journal).toBe("X-Auth-Token\n".repeat(2));
  const values = join(folder("early"), "iam-tokens.auto.tfvars.json");
  const { early_token: token } = JSON.parse(readFileSync(values, "utf8"));
  expect(stage.identity.describeToken(token).status).toBe("valid");
}
