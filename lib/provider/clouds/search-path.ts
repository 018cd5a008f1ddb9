import { posix, win32 } from "node:path";
import { type ProcessContext, variableOf } from "../process/process-context";
import { DRIVE_REMEDY, isDriveRelative } from "../secrets/secret-reference";
import { type CloudsFile, invalidFile } from "./cloud-value";

/** Where a clouds file may be. */
export interface Candidate extends Omit<CloudsFile, "realFolder"> {
  /** The variable that names it, if there is one: the file must then exist. */
  readonly variable?: string;
}

const SUFFIXES = ["yaml", "yml", "json"];
const VARIABLES = { clouds: "OS_CLIENT_CONFIG_FILE", secure: "OS_CLIENT_SECURE_FILE" } as const;

/**
 * Where openstacksdk searches for `clouds` or `secure` files, in its order: the variable's file;
 * then, each with .yaml, .yml and .json, the current folder, the user's configuration folder,
 * `~/.config/openstack`, the machine's configuration folder, `/etc/openstack`. The last one is not
 * searched on Windows, where it would be a folder of the current drive that any user may create.
 *
 * @param folder the current folder
 * @param platform Node.js's name of it
 * @throws ERR_CLOUDS_FILE_INVALID
 */
export function searchPath(
  kind: "clouds" | "secure",
  processContext: ProcessContext,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): readonly Candidate[] {
  const { isAbsolute, join, resolve } = platform === "win32" ? win32 : posix;
  const variable = VARIABLES[kind];
  const named = variableOf(processContext, variable);
  if (platform === "win32" && named !== undefined && isDriveRelative(named))
    throw invalidFile(
      { path: named },
      `it starts from the folder that Windows remembers for that drive (${variable})`,
      { remedy: DRIVE_REMEDY },
    );
  const first: Candidate[] =
    named === undefined
      ? []
      : [{ path: resolve(folder, named), ofProject: !isAbsolute(named), variable }];
  const folders = [...new Set([folder, ...configurationFolders(processContext, platform)])];
  return [
    ...first,
    ...folders.flatMap((each) =>
      SUFFIXES.map((suffix) => ({
        path: join(each, `${kind}.${suffix}`),
        ofProject: each === folder,
      })),
    ),
  ];
}

/** The user's home folder, according to the environment; undefined if it names none. */
export function homeOf(
  processContext: ProcessContext,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return variableOf(processContext, platform === "win32" ? "USERPROFILE" : "HOME");
}

function configurationFolders(
  processContext: ProcessContext,
  platform: NodeJS.Platform,
): readonly string[] {
  const home = homeOf(processContext, platform);
  if (platform === "win32") return windowsFolders(processContext, home);
  const { isAbsolute, join } = posix;
  // In a snap, HOME is the snap's own; this variable has the user's.
  const unixHome = variableOf(processContext, "SNAP_REAL_HOME") ?? home;
  const unix = unixHome === undefined ? [] : [join(unixHome, ".config", "openstack")];
  if (platform === "darwin") {
    const support = ["Library", "Application Support", "openstack"];
    return [
      ...(home === undefined ? [] : [join(home, ...support)]),
      ...unix,
      join("/", ...support),
      "/etc/openstack",
    ];
  }
  const user =
    variableOf(processContext, "XDG_CONFIG_HOME") ??
    (home === undefined ? undefined : join(home, ".config"));
  // openstacksdk takes a list of several folders as one name, which leads nowhere.
  const site = variableOf(processContext, "XDG_CONFIG_DIRS") ?? "/etc/xdg";
  // The XDG specification says that a relative folder is ignored: anybody could own it.
  const below = (folder: string | undefined): string[] =>
    folder !== undefined && isAbsolute(folder) ? [join(folder, "openstack")] : [];
  return [...below(user), ...unix, ...(site.includes(":") ? [] : below(site)), "/etc/openstack"];
}

/** platformdirs's choice: local, not roaming, and below a folder of the publisher. */
function windowsFolders(
  processContext: ProcessContext,
  home: string | undefined,
): readonly string[] {
  const { isAbsolute, join } = win32;
  const below = (folder: string | undefined, ...names: string[]): string[] =>
    folder !== undefined && isAbsolute(folder) ? [join(folder, ...names)] : [];
  const own = ["OpenStack", "openstack"];
  return [
    ...below(variableOf(processContext, "LOCALAPPDATA"), ...own),
    ...below(home, ".config", "openstack"),
    ...below(variableOf(processContext, "PROGRAMDATA"), ...own),
  ];
}
