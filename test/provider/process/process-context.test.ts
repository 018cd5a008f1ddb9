import { takeVariables, variableOf } from "../../../lib/provider/process/process-context";

const ENV = { Path: "p", os_password: "canary", EMPTY: "" };
const on = (platform: NodeJS.Platform, name: string) =>
  variableOf(
    { variables: takeVariables(ENV, platform), workingFolder: "/", attached: false },
    name,
  );

test("finds a variable by any case of its name on Windows, and elsewhere by the exact name", () => {
  expect(on("win32", "PATH")).toBe("p");
  expect(on("win32", "OS_PASSWORD")).toBe("canary");
  expect(on("win32", "empty")).toBeUndefined();
  expect(on("win32", "toString")).toBeUndefined();
  expect(on("linux", "PATH")).toBeUndefined();
  expect(on("linux", "Path")).toBe("p");
});

test("ignores later changes, and a copy has each variable once", () => {
  const env: Record<string, string> = { Name: "before" };
  const taken = takeVariables(env, "win32");
  env.Name = "after";
  expect(taken.NAME).toBe("before");
  expect({ ...taken, OTHER: "x" }).toEqual({ Name: "before", OTHER: "x" });
});
