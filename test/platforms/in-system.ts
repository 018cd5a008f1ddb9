import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { packArchives } from "../support/archives";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { emptyMachine, execute, type Machine } from "./machine";
import { ARCHIVED } from "./probe";

/**
 * Mounts everything for the probe into the system's folder, and runs the command in it. All of this
 * is in namespaces of this one command: the mounts, and the registration of the emulator, end with
 * it.
 */
const ENTER = `set -e
system=$1 work=$2 node=$3 client=$4 package=$5 emulator=$6 folder=$7
shift 7
mount --rbind /proc "$system/proc"
mount --rbind /dev "$system/dev"
mount -t tmpfs tmpfs "$system/tmp"
mount --bind "$work" "$system/probe"
mount --bind "$node" "$system/node"
mount --bind "$client" "$system/client"
mount --bind "$package" "$system/package"
if [ -n "$emulator" ]; then
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  printf '%s' ":arm64:M::\\\\x7fELF\\\\x02\\\\x01\\\\x01\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x02\\\\x00\\\\xb7\\\\x00:\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\x00\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xff\\\\xfe\\\\xff\\\\xff\\\\xff:$emulator:F" \\
    >/proc/sys/fs/binfmt_misc/register
fi
exec chroot "$system" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@"
`;

/**
 * Another small Linux, entered with chroot; an emulator runs another processor's programs.
 *
 * @param node the program, or the platform of an archive with Node.js: the system then has no other
 */
export function inSystem(
  system: string,
  node: string | { readonly archive: string },
  terraform: string,
  emulator?: string,
): Machine {
  const { scratch, ...machine } = emptyMachine();
  const { work } = machine;
  for (const folder of ["t", "home", "none"]) mkdirSync(join(work, folder));
  const isArchive = typeof node !== "string";
  const mirror = join(work, "mirror");
  if (isArchive) packArchives(join(mirror, ARCHIVED), { platforms: [node.archive] });
  const folderOfNode = isArchive ? join(work, "none") : dirname(node);
  const pathThere = (path: string): string => path.replace(work, "/probe");
  const client = join("/client", basename(terraform));
  const run =
    (...command: readonly string[]): Machine["terraform"] =>
    (folder, args, more) => {
      const mounted = [system, work, folderOfNode, dirname(terraform), packageRoot];
      const there = [emulator ?? "", pathThere(folder)];
      return execute(
        "unshare",
        ["-Urm", "/bin/sh", "-c", ENTER, "enter", ...mounted, ...there, ...command, ...args],
        {
          cwd: folder,
          env: {
            ...terraformEnvironment(scratch),
            PATH: "/node:/usr/sbin:/sbin:/usr/bin:/bin",
            HOME: "/probe/home",
            TMPDIR: "/probe/t",
            // Libraries of the musl wheels; other systems have no such folder.
            LD_LIBRARY_PATH: "/node",
            ...more,
          },
        },
      );
    };
  return {
    ...machine,
    pathThere,
    terraform: run(client),
    ...(isArchive && { mirror }),
    attached: run("node", "/package/dist/cli/main.js", "run", "--quiet", "--", client),
  };
}
