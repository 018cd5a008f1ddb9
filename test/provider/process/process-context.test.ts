import { inRun } from "../../../lib/provider/configuration/diagnostics";
import { takeVariables, variableOf } from "../../../lib/provider/process/process-context";
import { IamTokensError } from "../../../lib/tokens";
import { onPlatform } from "../../support/platform";

const ENV = { Path: "p", os_password: "canary", EMPTY: "" };
const on = (platform: NodeJS.Platform, name: string) =>
  onPlatform(platform, async () =>
    variableOf({ variables: takeVariables(ENV), workingFolder: "/", attached: false }, name),
  );

test("finds a variable by any case of its name on Windows, and elsewhere by the exact name", async () => {
  expect(await on("win32", "Path")).toBe("p");
  expect(await on("win32", "OS_PASSWORD")).toBe("canary");
  expect(await on("win32", "empty")).toBeUndefined();
  expect(await on("win32", "toString")).toBeUndefined();
  expect(await on("linux", "PATH")).toBeUndefined();
  expect(await on("linux", "Path")).toBe("p");
});

test("ignores later changes", () => {
  const env: Record<string, string> = { Name: "before" };
  const taken = takeVariables(env);
  env.Name = "after";
  expect(taken.Name).toBe("before");
});

describe("under run, an error says whose variables, files and commands it means", () => {
  const said = (problem: string, attached: boolean): string => {
    const details = { allowed: "x", remedy: "Do it.", headline: "It is not so" };
    const error = new IamTokensError("ERR_USAGE", problem, details);
    const {
      code,
      remedy,
      allowed,
      headline,
      problem: told,
    } = inRun(error, attached) as IamTokensError;
    expect({ code, remedy, allowed, headline }).toEqual({ code: "ERR_USAGE", ...details });
    return told;
  };

  test.each([
    'The environment variable X ("x") is not set.',
    'The file "x" (password_file of the provider block) does not exist.',
    'The command "op" (password_command of the provider block) exited with 3.',
    'The program "op" may not be run.',
    "There is no clouds.yaml.",
    "The environment gives OS_USERNAME, but not OS_PASSWORD.",
    "The address is https://x.test/v3, and IAM_TOKENS_ALLOWED_AUTH_URLS does not list it.",
  ])("%s", (problem) => {
    expect(said(problem, true)).toBe(
      `${problem} Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.`,
    );
    expect(said(problem, false)).toBe(problem);
  });

  test.each([
    'The cloud "my environment of OS_CLOUD \\" file" is not one.',
    "password_file and password_env of the provider block are given.",
    "https://x.test/v3/auth/tokens answered 401 without an X-Subject-Token.",
  ])("but not: %s", (problem) => {
    expect(said(problem, true)).toBe(problem);
  });

  test("and no other error", () => {
    const error = new Error("The file");
    expect(inRun(error, true)).toBe(error);
  });
});
