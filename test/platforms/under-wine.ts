import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { unzipSync, zipSync } from "fflate";
import { folderFor, readProviderFiles } from "../../lib/delivery/provider-files";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { packArchives } from "../support/archives";
import { terraformEnvironment } from "../support/terraform";
import { GONE_MS } from "./left-behind";
import { type Ended, emptyMachine, execute, type Machine } from "./machine";
import { ARCHIVED } from "./probe";

/** A machine on which any program of Windows can be started. */
export interface WineMachine extends Machine {
  start(
    file: string,
    args: readonly string[],
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Ended>;
}

/**
 * An internal error of Wine's client, such as when a thread ends while its process exits. It is
 * printed into the output of whichever program runs, without a line of its own, and may be cut off.
 * The other lines are about the folder of Wine: not only its first program may print them.
 */
const WINE_ERROR =
  /wine client error:[0-9a-f]+: (?:(?:partial |pipe |get)?\w*(?:read|write|writev|recvmsg|sendmsg|wakeup)\b.*\n?)?|^wine: (?:created the configuration directory|configuration in|failed to open) .*\n/gm;

/** Debian's; elsewhere it is in PATH. */
const SERVER = ["/usr/lib/wine/wineserver"].find(existsSync) ?? "wineserver";

/**
 * Windows, simulated by Wine, with the Node.js and the Terraform for Windows. It has no links,
 * which Terraform uses for an unpacked provider, and therefore gets an archive from a mirror.
 *
 * @param node the program; in an archive, it takes the place of the one there, which is too new for
 * Wine
 * @param stub of bcryptprimitives.dll, which Go programs need and Debian's Wine lacks
 */
export async function underWine(
  node: string,
  terraform: string,
  stub: string,
  isArchive = false,
): Promise<WineMachine> {
  const { scratch, ...machine } = emptyMachine();
  const { work } = machine;
  const programs = join(scratch.folder, "programs");
  mkdirSync(programs);
  const program = join(programs, "terraform.exe");
  copyFileSync(terraform, program);
  const mirror = join(work, "mirror");
  const provider = readProviderFiles();
  if (isArchive) archiveWith(node, join(mirror, ARCHIVED));
  else {
    const entries = folderFor(provider, "windows_amd64").files.map(({ name, content }) => [
      name,
      content,
    ]);
    mkdirSync(join(mirror, PROVIDER_SOURCE), { recursive: true });
    writeFileSync(
      join(mirror, PROVIDER_SOURCE, `terraform-provider-iam_${provider.version}_windows_amd64.zip`),
      zipSync(Object.fromEntries(entries)),
    );
  }
  const configuration = join(work, "terraform.rc");
  // For the checks as well, which come before the probe.
  writeFileSync(
    configuration,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(windowsPath(mirror))}\n  }\n}\n`,
  );
  const wine = {
    ...terraformEnvironment(scratch),
    WINEPREFIX: join(scratch.folder, "prefix"),
    WINEDEBUG: "-all",
    // Wine's encoding of file names.
    LC_ALL: "C.UTF-8",
    // Nothing is installed into the new prefix: no browser, no .NET, no menus.
    WINEDLLOVERRIDES: "mscoree,mshtml,winemenubuilder.exe=",
    WINEPATH: [isArchive ? [] : dirname(node), programs].flat().map(windowsPath).join(";"),
    TF_CLI_CONFIG_FILE: windowsPath(configuration),
  };
  const start: WineMachine["start"] = async (file, args, { cwd = work, env = {} } = {}) => {
    // Programs under Wine cannot write to a pipe.
    const output = join(mkdtempSync(join(scratch.folder, "output-")), "text");
    const command = ["-c", 'exec wine "$@" >"$0" 2>&1', output, file, ...args];
    const { exitCode } = await execute("sh", command, { cwd, env: { ...wine, ...env } });
    const text = stripVTControlCharacters(readFileSync(output, "utf8"));
    return { exitCode, text: text.replace(WINE_ERROR, "") };
  };
  const close = async (): Promise<void> => {
    // Only the server of this prefix.
    for (const option of ["-k", "-w"]) spawnSync(SERVER, [option], { env: wine, timeout: GONE_MS });
    await machine.close();
  };
  try {
    const made = await start("winecfg", ["-v", "win10"]);
    if (made.exitCode !== 0) throw new Error(`Wine cannot be set up:\n${made.text}`);
    copyFileSync(stub, join(wine.WINEPREFIX, "drive_c/windows/system32/bcryptprimitives.dll"));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...machine,
    ...(isArchive && { mirror }),
    pathThere: windowsPath,
    terraform: (folder, args, env) => start(program, args, { cwd: folder, env }),
    start,
    close,
  };
}

function archiveWith(node: string, folder: string): void {
  packArchives(folder, { platforms: ["windows_amd64"] });
  for (const path of readdirSync(folder).filter((name) => name.endsWith(".zip"))) {
    const files = unzipSync(readFileSync(join(folder, path)));
    const content = { ...files, "node/node.exe": readFileSync(node) };
    writeFileSync(join(folder, path), zipSync(content, { level: 0 }));
  }
}

/** Wine's path of a Unix file. */
function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}
