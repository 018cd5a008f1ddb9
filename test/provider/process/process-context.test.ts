import { takeVariables, variableOf } from "../../../lib/provider/process/process-context";
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
