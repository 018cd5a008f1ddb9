import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { emptyMachine, execute, type Machine } from "./machine";

/**
 * The file systems and processes of a hardened pod, in namespaces of this one command: the root is
 * read-only, and the only folders that can be written are those of an emptyDir, which everybody may
 * write to and which is not sticky.
 */
const ENTER = `set -e
work=$1 package=$2 node=$3 client=$4 shared=$5 folder=$6
shift 6
mount --bind "$work" /mnt
mount -t tmpfs tmpfs /media
mkdir /media/package /media/node /media/client
mount --bind "$package" /media/package
mount --bind "$node" /media/node
mount --bind "$client" /media/client
mount -t tmpfs -o mode=0777 tmpfs /tmp
mount -t tmpfs -o "mode=$shared" tmpfs /dev/shm
mount -t tmpfs -o ro tmpfs /var/tmp
mount -o remount,bind,ro /
cd "$folder"
exec "$@"
`;

/**
 * A pod on this machine.
 *
 * @param shared the mode of /dev/shm: a container's own is sticky, an emptyDir in its place is not
 */
export function inPod(node: string, client: string, shared: "1777" | "0777"): Machine {
  const { scratch, ...machine } = emptyMachine();
  const { work } = machine;
  mkdirSync(join(work, "home"));
  const pathThere = (path: string): string => path.replace(work, "/mnt");
  const terraform = join("/media/client", basename(client));
  const run =
    (...command: readonly string[]): Machine["terraform"] =>
    (folder, args, more) => {
      const mounted = [work, packageRoot, dirname(node), dirname(client)];
      const there = [shared, pathThere(folder)];
      return execute(
        "unshare",
        [
          ...["-Urmpf", "--kill-child", "--mount-proc", "/bin/sh", "-c", ENTER, "enter"],
          ...[...mounted, ...there, ...command, ...args],
        ],
        {
          cwd: folder,
          env: {
            ...terraformEnvironment(scratch),
            PATH: "/media/node:/usr/bin:/bin",
            HOME: "/mnt/home",
            TMPDIR: "",
            ...more,
          },
        },
      );
    };
  const attached = run(
    ...["node", "/media/package/dist/cli/main.js", "run", "--quiet", "--", terraform],
  );
  return {
    ...machine,
    pathThere,
    terraform: run(terraform),
    // Without TLS, there has to be a folder in which nobody can replace the socket.
    ...(shared === "1777" ? { attached } : {}),
  };
}
