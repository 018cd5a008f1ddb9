import { homeOf, searchPath } from "../../../lib/provider/clouds/search-path";
import { takeVariables } from "../../../lib/provider/process/process-context";

const windows = (variables: Readonly<Record<string, string>>) => ({
  variables: takeVariables(variables, "win32"),
  workingFolder: "C:\\work",
  attached: false,
});
const ENV = {
  LOCALAPPDATA: "C:\\Users\\Jörg Ö\\AppData\\Local",
  USERPROFILE: "C:\\Users\\Jörg Ö",
  ProgramData: "C:\\ProgramData",
  HOME: "/home/of/msys",
};

const pathsOf = (env: Readonly<Record<string, string>>, folder = "C:\\work") =>
  searchPath("clouds", windows(env), folder, "win32");

test("searches clouds.yaml in openstacksdk's folders on Windows, except those that anybody may make", () => {
  const yaml = pathsOf(ENV).filter(({ path }) => path.endsWith(".yaml"));
  expect(yaml).toEqual([
    { path: "C:\\work\\clouds.yaml", ofProject: true },
    {
      path: "C:\\Users\\Jörg Ö\\AppData\\Local\\OpenStack\\openstack\\clouds.yaml",
      ofProject: false,
    },
    { path: "C:\\Users\\Jörg Ö\\.config\\openstack\\clouds.yaml", ofProject: false },
    { path: "C:\\ProgramData\\OpenStack\\openstack\\clouds.yaml", ofProject: false },
  ]);
});

test.each([
  ["D:\\clouds\\prod.yaml", "D:\\clouds\\prod.yaml", false],
  ["\\\\server\\share\\prod.yaml", "\\\\server\\share\\prod.yaml", false],
  ["clouds/prod.yaml", "C:\\work\\clouds\\prod.yaml", true],
])("OS_CLIENT_CONFIG_FILE=%s names %s", (named, path, ofProject) => {
  const [first] = pathsOf({ ...ENV, OS_CLIENT_CONFIG_FILE: named });
  expect(first).toEqual({ path, ofProject, variable: "OS_CLIENT_CONFIG_FILE" });
});

test.each(["C:prod.yaml", "d:..\\prod.yaml", "C:"])(
  "OS_CLIENT_CONFIG_FILE=%s is refused: which file it names depends on the process",
  (named) => {
    expect(() => pathsOf({ ...ENV, OS_CLIENT_CONFIG_FILE: named })).toThrow(
      /^The file \S+: it starts from the folder that Windows .* \(OS_CLIENT_CONFIG_FILE\)\./,
    );
  },
);

test("ignores relative folders, which anybody could make", () => {
  expect(pathsOf({ LOCALAPPDATA: "local", PROGRAMDATA: "data" }).map(({ path }) => path)).toEqual([
    "C:\\work\\clouds.yaml",
    "C:\\work\\clouds.yml",
    "C:\\work\\clouds.json",
  ]);
});

test("the home folder is the profile, whatever HOME says", () => {
  expect(homeOf(windows(ENV), "win32")).toBe("C:\\Users\\Jörg Ö");
});
