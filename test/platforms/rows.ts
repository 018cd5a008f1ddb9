// Systems for the probe: each row is in the table of docs/platforms.md.
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { thisPlatform } from "../../lib/delivery/platforms";
import { buildProgram, type GoProgram, type GoTarget, programPath } from "../support/go-build";
import { withMounts } from "../support/mounts";
import { openTofuProgram } from "../support/open-tofu";
import { terraformProgram } from "../support/terraform-lines";
import { inSystem } from "./in-system";
import type { Machine } from "./machine";
import { onThisMachine } from "./on-this-machine";
import type { Mode } from "./probe";
import { type Kept, nodeFor, qemu, systemOf, wineStub } from "./programs";
import { underWine, type WineMachine } from "./under-wine";
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
  return { name, path, ephemerals, install: async () => void (await buildProgram(program, HOUR)) };
}

const HOUR = 3_600_000;

function openTofu({ version, target }: { version?: string; target?: GoTarget } = {}): Client {
  const program = openTofuProgram(version);
  const name = `OpenTofu ${program.version.slice(1)}`;
  return goClient(name, target === undefined ? program : { ...program, target });
}

/** The Terraform on PATH if it has this version, otherwise one that is built. */
function terraform(version: string, target?: GoTarget): Client {
  const name = `Terraform ${version}`;
  const ephemerals = !version.startsWith("1.8.");
  const found = target === undefined ? inPath() : undefined;
  if (found?.version === version) return { ...found, name, ephemerals, install: () => {} };
  return goClient(name, terraformProgram(version, target), ephemerals);
}

let known: { readonly version: string; readonly path: string } | undefined;

function inPath(): typeof known {
  if (known !== undefined) return known;
  const name = process.platform === "win32" ? "terraform.exe" : "terraform";
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  if (path === undefined) return undefined;
  const version = spawnSync(path, ["version", "-json"], {
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  }).stdout;
  const found = /"terraform_version": "([^"]+)"/.exec(version)?.[1];
  known = found === undefined ? undefined : { version: found, path: realpathSync(path) };
  return known;
}

/** All rows. */
export function rows(): readonly Row[] {
  const usual = [terraform("1.11.4"), openTofu()];
  const lines = [
    ...["1.8.5", "1.10.5", NEWEST].map((version) => terraform(version)),
    openTofu({ version: "v1.11.0" }),
  ];
  const linux = [
    ...["20.18.1", "22.23.3", "24.21.0", "26.10.0"].flatMap((node) =>
      usual.map((client) => [node, client] as const),
    ),
    ...lines.map((client) => ["22.23.3", client] as const),
  ].map(([version, client]): Row => {
    const node = nodeFor("linux-x64", version);
    return {
      platform: "Linux amd64",
      node: version,
      client: client.name,
      needs: [node, client],
      modes: UNIX_MODES,
      ephemerals: client.ephemerals,
      open: async () => onThisMachine(node.path, client.path),
    };
  });
  return [...linux, ...muslRows(usual), ...armRows(), ...windowsRows()];
}

/** This machine as it is. */
export function rowsHere(): readonly Row[] {
  const found = inPath();
  return [
    {
      platform: thisPlatform(),
      node: process.versions.node,
      client: `Terraform ${found?.version}`,
      needs: [],
      missing: found === undefined ? "no terraform in PATH" : undefined,
      modes: process.platform === "win32" ? ["launched"] : ["launched", "attached"],
      ephemerals: true,
      open: async () => onThisMachine(process.execPath, found?.path ?? "", process.env.PATH),
    },
  ];
}

function muslRows(clients: readonly Client[]): readonly Row[] {
  const system = systemOf("musl-x64");
  return ["22.20.0", "24.19.0"].flatMap((version) =>
    clients.map((client): Row => {
      const node = nodeFor("musl-x64", version);
      return {
        platform: "Linux amd64, musl and busybox (chroot)",
        node: version,
        client: client.name,
        needs: [system, node, client],
        missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts(),
        modes: UNIX_MODES,
        ephemerals: true,
        open: async () => inSystem(system.path, node.path, client.path),
      };
    }),
  );
}

function armRows(): readonly Row[] {
  const [system, emulator] = [systemOf("linux-arm64"), qemu()];
  const client = openTofu({ target: ARM64 });
  const node = nodeFor("linux-arm64", "22.23.3");
  return [
    {
      platform: "Linux arm64 (qemu-user)",
      node: "22.23.3",
      client: client.name,
      needs: [system, emulator, node, client],
      missing: without("unshare", "apt-get", "dpkg") ?? withoutMounts("binfmt_misc"),
      // Without the hand-over, Node.js starts 25 times, each for two seconds.
      modes: ["hand-over", "attached"],
      ephemerals: true,
      emulator: "qemu",
      open: async () => inSystem(system.path, node.path, client.path, emulator.path),
    },
  ];
}

/** Checks of Windows in addition to the probe: once, with one Node.js and one client. */
const WINDOWS_CHECKS: Readonly<
  Record<string, readonly ((machine: WineMachine) => Promise<void>)[]>
> = {
  "20.20.2, Terraform 1.11.4": [checkLauncher],
  "22.23.3, Terraform 1.11.4": [checkLauncher, checkCommands, checkPaths],
};

function windowsRows(): readonly Row[] {
  const stub = wineStub();
  const clients = [terraform("1.11.4", WINDOWS), openTofu({ target: WINDOWS })];
  return ["20.20.2", "22.23.3"].flatMap((version) =>
    clients.map((client): Row => {
      const node = nodeFor("win32-x64", version);
      return {
        platform: "Windows amd64 (Wine)",
        node: version,
        client: client.name,
        needs: [stub, node, client],
        missing: without("wine", "python3"),
        modes: ["launched"],
        ephemerals: true,
        emulator: "Wine",
        open: async () => {
          const machine = await underWine(node.path, client.path, stub.path);
          const checks = WINDOWS_CHECKS[`${version}, ${client.name}`] ?? [];
          return { ...machine, checks: checks.map((check) => () => check(machine)) };
        },
      };
    }),
  );
}

/** The kernel, or the container around this process, may refuse mounts to a command. */
function withoutMounts(type = "tmpfs"): string | undefined {
  const place = type === "tmpfs" ? "/mnt" : `/proc/sys/fs/${type}`;
  const [program, ...args] = withMounts(`mount -t ${type} ${type} ${place}`, ["true"]);
  if (spawnSync(program, args).status === 0) return undefined;
  return `no command may mount ${type} for itself here`;
}

function without(...programs: readonly string[]): string | undefined {
  const gone = programs.filter(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
  );
  return gone.length === 0 ? undefined : `no ${gone.join(", no ")}`;
}
