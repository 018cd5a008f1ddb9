import { isAbsolute, join, resolve } from "node:path";
import { type Surroundings, variableOf } from "../process/surroundings";
import type { CloudsFile } from "./cloud-value";

/** Where a clouds file may be. */
export interface Candidate extends Omit<CloudsFile, "realFolder"> {
  /** The variable that names it, if one does: then it has to be there. */
  readonly variable?: string;
}

const SUFFIXES = ["yaml", "yml", "json"];
const VARIABLES = { clouds: "OS_CLIENT_CONFIG_FILE", secure: "OS_CLIENT_SECURE_FILE" } as const;

/**
 * Where openstacksdk looks for `clouds` or `secure` files, in its order: the variable's file; then,
 * each as .yaml, .yml and .json, the current folder, the user's configuration folder,
 * `~/.config/openstack`, the machine's configuration folder, `/etc/openstack`.
 *
 * @param folder the current folder
 * @param platform as Node.js calls it
 */
export function searchPath(
  kind: "clouds" | "secure",
  surroundings: Surroundings,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): readonly Candidate[] {
  const variable = VARIABLES[kind];
  const named = variableOf(surroundings, variable);
  const first: Candidate[] =
    named === undefined
      ? []
      : [{ path: resolve(folder, named), ofProject: !isAbsolute(named), variable }];
  const folders = [...new Set([folder, ...configurationFolders(surroundings, platform)])];
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

/** The user's home folder, as HOME says; without it there is none to look in. */
export function homeOf(surroundings: Surroundings): string | undefined {
  return variableOf(surroundings, "HOME");
}

function configurationFolders(
  surroundings: Surroundings,
  platform: NodeJS.Platform,
): readonly string[] {
  const home = homeOf(surroundings);
  // In a snap HOME is the snap's own; the variable has the user's.
  const unixHome = variableOf(surroundings, "SNAP_REAL_HOME") ?? home;
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
    variableOf(surroundings, "XDG_CONFIG_HOME") ??
    (home === undefined ? undefined : join(home, ".config"));
  // openstacksdk takes a list of several folders for one name, which leads nowhere.
  const site = variableOf(surroundings, "XDG_CONFIG_DIRS") ?? "/etc/xdg";
  // As the XDG specification says, a relative folder does not count: it would be anybody's.
  const below = (folder: string | undefined): string[] =>
    folder !== undefined && isAbsolute(folder) ? [join(folder, "openstack")] : [];
  return [...below(user), ...unix, ...(site.includes(":") ? [] : below(site)), "/etc/openstack"];
}
