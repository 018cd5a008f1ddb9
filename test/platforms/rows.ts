// Systems for the probe.
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { thisPlatform } from "../../lib/delivery/platforms";
import { findProgram } from "../../lib/provider/process/find-program";
import { buildProgram, type GoProgram, type GoTarget, programPath } from "../support/go-build";
import { openTofuProgram } from "../support/open-tofu";
import { inPod } from "./in-pod";
import { inSystem } from "./in-system";
import type { Machine } from "./machine";
import { onThisMachine } from "./on-this-machine";
import type { Mode } from "./probe";
import { type Kept, type NodeOf, nodeFor, qemu, systemOf, wineStub } from "./programs";
import { terraformProgram } from "./terraform-lines";
import { underWine } from "./under-wine";
import { checkCommands } from "./windows-commands";
import { checkLauncher } from "./windows-launcher";
import { checkPaths } from "./windows-paths";

export interface Row {
  readonly platform: string;
  readonly node: string;
  readonly client: string;
  /** Programs that it needs, to be installed if they are missing. */
  readonly needs: readonly Kept[];
  /** Why it is never available on this machine. */
  readonly missing?: string | undefined;
  readonly modes: readonly Mode[];
  readonly ephemerals: boolean;
  /** What its programs run in, if that is not the machine itself. */
  readonly emulator?: "qemu" | "Wine";
  readonly open: () => Promise<Machine>;
}

const WINDOWS: GoTarget = { name: "win32-x64", os: "windows", arch: "amd64" };
const ARM64: GoTarget = { name: "linux-arm64", os: "linux", arch: "arm64" };
/** The newest Terraform in Go's module proxy. */
const NEWEST = "1.16.0";
const UNIX_MODES: readonly Mode[] = ["hand-over", "launched", "attached"];

interface Client extends Kept {
  readonly ephemerals: boolean;
}

function goClient(name: string, program: GoProgram, ephemerals = true): Client {
  const path = programPath(program);
  return { name, path, ephemerals, install: () => buildProgram(program) };
}

function openTofu({ version, target }: { version?: string; target?: GoTarget } = {}): Client {
  const program = openTofuProgram(version);
  const name = `OpenTofu ${program.version.slice(1)}`;
  return goClient(name, target === undefined ? program : { ...program, target });
}

/** The Terraform on PATH if it has this version, otherwise one that is built. */
function terraform(version: string, target?: GoTarget): Client {
  const name = `Terraform ${version}`;
  const ephemerals = !version.startsWith("1.8.");
  if (target === undefined && HERE?.version === version)
    return { ...HERE, name, ephemerals, install: () => {} };
  return goClient(name, terraformProgram(version, target), ephemerals);
}

/** The Terraform in PATH, and its version. */
function inPath(): { readonly version: string; readonly path: string } | undefined {
  const path = findProgram("terraform", process.env.PATH);
  if (path === undefined) return undefined;
  const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
  const { stdout } = spawnSync(path, ["version", "-json"], { encoding: "utf8", env });
  const [, version] = /"terraform_version": "([^"]+)"/.exec(stdout) ?? [];
  return version === undefined ? undefined : { version, path: realpathSync(path) };
}

const HERE = inPath();

/** A platform: each of its Node.js with each of its clients is a row. */
interface Platform extends Pick<Row, "platform" | "missing" | "emulator"> {
  /** Undefined where it is in the archive. */
  readonly nodeOf?: NodeOf;
  readonly runs: readonly (readonly [nodes: readonly string[], clients: readonly Client[]])[];
  /** In addition to Node.js and the client. */
  readonly needs?: readonly Kept[];
  readonly modes?: readonly Mode[];
  readonly open: (node: Kept, client: Client, version: string) => Machine | Promise<Machine>;
}

/** Node.js of the archives for registries, which is got when they are packed. */
const IN_ARCHIVE: Kept = { name: "Node.js in the archive", path: "/", install: () => undefined };

/** All rows. */
export function rows(): readonly Row[] {
  return platforms().flatMap(({ nodeOf, runs, needs = [], modes = UNIX_MODES, open, ...more }) =>
    runs.flatMap(([nodes, clients]) =>
      nodes.flatMap((version) =>
        clients.map((client): Row => {
          const node = nodeOf === undefined ? IN_ARCHIVE : nodeFor(nodeOf, version);
          return {
            ...more,
            node: version,
            client: client.name,
            needs: [...needs, node, client],
            modes,
            ephemerals: client.ephemerals,
            open: async () => open(node, client, version),
          };
        }),
      ),
    ),
  );
}

function platforms(): readonly Platform[] {
  const usual = [terraform("1.11.4"), openTofu()];
  const lines = [
    ...["1.8.5", "1.10.5", NEWEST].map((version) => terraform(version)),
    openTofu({ version: "v1.11.0" }),
  ];
  const [musl, arm] = [systemOf("musl-x64"), systemOf("linux-arm64")];
  const [emulator, stub] = [qemu(), wineStub()];
  return [
    {
      platform: "Linux amd64",
      nodeOf: "linux-x64",
      runs: [
        [["20.18.1", "22.23.3", "24.21.0", "26.10.0"], usual],
        [["22.23.3"], lines],
      ],
      open: (node, client) => onThisMachine(node.path, client.path),
    },
    ...(["1777", "0777"] as const).map((shared) => ({
      platform: `Linux amd64, a pod: root read-only, /tmp an emptyDir${shared === "0777" ? ", /dev/shm as well" : ""}`,
      nodeOf: "linux-x64" as const,
      runs: [[["22.23.3"], [terraform("1.11.4")]]] as const,
      missing: without("unshare") ?? withoutMounts("proc"),
      modes: shared === "1777" ? UNIX_MODES : (["launched"] as const),
      open: (node: Kept, client: Client) => inPod(node.path, client.path, shared),
    })),
    {
      platform: "Linux amd64, musl and busybox (chroot)",
      nodeOf: "musl-x64",
      runs: [[["22.20.0", "24.19.0"], usual]],
      needs: [musl],
      missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts(),
      open: (node, client) => inSystem(musl.path, node.path, client.path),
    },
    {
      platform: "Linux arm64 (qemu-user)",
      nodeOf: "linux-arm64",
      runs: [[["22.23.3"], [openTofu({ target: ARM64 })]]],
      needs: [arm, emulator],
      missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts("binfmt_misc"),
      // Without the hand-over, Node.js starts 25 times, each for two seconds.
      modes: ["hand-over", "attached"],
      emulator: "qemu",
      open: (node, client) => inSystem(arm.path, node.path, client.path, emulator.path),
    },
    {
      platform: "Linux amd64, musl and busybox (chroot)",
      runs: [[["none"], usual]],
      needs: [musl],
      missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts(),
      modes: ["archive"],
      open: (_, client) => inSystem(musl.path, { archive: "linux_amd64" }, client.path),
    },
    {
      platform: "Linux arm64 (qemu-user)",
      runs: [[["none"], [terraform("1.11.4", ARM64), openTofu({ target: ARM64 })]]],
      needs: [arm, emulator],
      missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts("binfmt_misc"),
      modes: ["archive"],
      emulator: "qemu",
      open: (_, client) =>
        inSystem(arm.path, { archive: "linux_arm64" }, client.path, emulator.path),
    },
    {
      platform: "Windows amd64 (Wine)",
      nodeOf: "win32-x64",
      runs: [[["22.23.3"], [terraform("1.11.4", WINDOWS)]]],
      needs: [stub],
      missing: without("wine"),
      modes: ["archive"],
      emulator: "Wine",
      open: (node, client) => underWine(node.path, client.path, stub.path, true),
    },
    {
      platform: "Windows amd64 (Wine)",
      nodeOf: "win32-x64",
      runs: [
        [
          ["20.20.2", "22.23.3"],
          [terraform("1.11.4", WINDOWS), openTofu({ target: WINDOWS })],
        ],
      ],
      needs: [stub],
      missing: without("wine"),
      modes: ["launched"],
      emulator: "Wine",
      open: async (node, client, version) => {
        const machine = await underWine(node.path, client.path, stub.path);
        // In addition to the probe, once with each Node.js.
        const more = version.startsWith("20.") ? [] : [checkCommands, checkPaths];
        const checks = client.name === "Terraform 1.11.4" ? [checkLauncher, ...more] : [];
        return { ...machine, checks: checks.map((check) => () => check(machine)) };
      },
    },
  ];
}

/** This machine as it is. */
export function rowsHere(): readonly Row[] {
  return [
    {
      platform: thisPlatform(),
      node: process.versions.node,
      client: `Terraform ${HERE?.version}`,
      needs: [],
      missing: HERE === undefined ? "no terraform in PATH" : undefined,
      modes: process.platform === "win32" ? ["launched"] : ["launched", "attached"],
      ephemerals: true,
      open: async () => onThisMachine(process.execPath, HERE?.path ?? "", process.env.PATH),
    },
  ];
}

const PLACES = { tmpfs: "/mnt", proc: "/proc", binfmt_misc: "/proc/sys/fs/binfmt_misc" };

/** The kernel, or the container around this process, may refuse mounts to a command. */
function withoutMounts(type: keyof typeof PLACES = "tmpfs"): string | undefined {
  const namespaces = type === "proc" ? "-Urmpf" : "-Urm";
  if (spawnSync("unshare", [namespaces, "mount", "-t", type, type, PLACES[type]]).status === 0)
    return undefined;
  return `no command may mount ${type} for itself here`;
}

function without(...programs: readonly string[]): string | undefined {
  const gone = programs.filter(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
  );
  return gone.length === 0 ? undefined : `no ${gone.join(", no ")}`;
}
