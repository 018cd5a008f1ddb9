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

test("ignores relative folders on Windows, which anybody could make", () => {
  expect(pathsOf({ LOCALAPPDATA: "local", PROGRAMDATA: "data" }).map(({ path }) => path)).toEqual([
    "C:\\work\\clouds.yaml",
    "C:\\work\\clouds.yml",
    "C:\\work\\clouds.json",
  ]);
});

test("on Windows, the home folder is the profile, whatever HOME says", () => {
  expect(homeOf(windows(ENV), "win32")).toBe("C:\\Users\\Jörg Ö");
});

const foldersOf = (variables: Readonly<Record<string, string>>, platform: NodeJS.Platform) =>
  searchPath("secure", { variables, workingFolder: "/stack", attached: false }, "/stack", platform)
    .filter(({ path }) => path.endsWith("/secure.yaml"))
    .map(({ path }) => path.slice(0, -"/secure.yaml".length));

test.each<{
  platform: NodeJS.Platform;
  variables: Record<string, string>;
  folders: readonly string[];
}>([
  {
    platform: "darwin",
    variables: { HOME: "/Users/u", XDG_CONFIG_HOME: "/xdg", XDG_CONFIG_DIRS: "/site" },
    folders: [
      "/Users/u/Library/Application Support/openstack",
      "/Users/u/.config/openstack",
      "/Library/Application Support/openstack",
    ],
  },
  { platform: "darwin", variables: {}, folders: ["/Library/Application Support/openstack"] },
  {
    platform: "linux",
    variables: { HOME: "/home/u" },
    folders: ["/home/u/.config/openstack", "/etc/xdg/openstack"],
  },
  {
    platform: "linux",
    variables: { HOME: "/snap/u", SNAP_REAL_HOME: "/home/u", XDG_CONFIG_DIRS: "/site" },
    folders: ["/snap/u/.config/openstack", "/home/u/.config/openstack", "/site/openstack"],
  },
  {
    platform: "linux",
    variables: { HOME: "/home/u", XDG_CONFIG_HOME: "/xdg", XDG_CONFIG_DIRS: "/one:/two" },
    folders: ["/xdg/openstack", "/home/u/.config/openstack"],
  },
  {
    platform: "linux",
    variables: { XDG_CONFIG_HOME: "relative", XDG_CONFIG_DIRS: "relative" },
    folders: [],
  },
])("searches $folders on $platform with $variables", ({ platform, variables, folders }) => {
  expect(foldersOf(variables, platform)).toEqual(["/stack", ...folders, "/etc/openstack"]);
});

test("the file of a variable comes first, and is the project's by a relative path", () => {
  const first = (variables: Readonly<Record<string, string>>) =>
    searchPath("secure", { variables, workingFolder: "/w", attached: false }, "/app", "linux")[0];
  const variable = "OS_CLIENT_SECURE_FILE";
  expect(first({ [variable]: "s.yaml" })).toEqual({
    path: "/app/s.yaml",
    ofProject: true,
    variable,
  });
  expect(first({ [variable]: "/s.yaml", OS_CLIENT_CONFIG_FILE: "/c.yaml" })).toEqual({
    path: "/s.yaml",
    ofProject: false,
    variable,
  });
  expect(first({ [variable]: "C:s.yaml" })?.path).toBe("/app/C:s.yaml");
});
