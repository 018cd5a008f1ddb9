import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./loopback-server";

/** Debian's folder of the server's programs, one per version; it is not on PATH. */
const DEBIAN = "/usr/lib/postgresql";

/** A PostgreSQL server of a test, on loopback. */
export interface Postgres {
  /** Without the password, as in a configuration. */
  readonly connStr: string;
  /** Additional settings for a client. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Whether the server's programs are installed. */
export function hasPostgres(): boolean {
  return programs() !== undefined && owner() !== undefined;
}

/**
 * Creates a cluster in its own folder and starts it. The server ends with the test process at the
 * latest.
 */
export async function startPostgres(base = tmpdir()): Promise<Postgres> {
  const bin = programs();
  const as = owner();
  if (bin === undefined || as === undefined)
    throw new Error("There is no PostgreSQL server here: ask hasPostgres() first.");
  const folder = mkdtempSync(join("uid" in as ? reachable(base) : base, "iam-pg-"));
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  const data = join(folder, "data");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chmodSync(folder, 0o700);
  if ("uid" in as) for (const path of [folder, passwordFile]) chownSync(path, as.uid, as.gid);
  // Nothing of this machine's configuration, and no locale that may be missing.
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH ?? "", LC_ALL: "C" } };
  const made = spawnSync(
    join(bin, "initdb"),
    [
      ..."-U states -A scram-sha-256 -E UTF8 --no-sync -D".split(" "),
      data,
      `--pwfile=${passwordFile}`,
    ],
    { ...options, encoding: "utf8" },
  );
  rmSync(passwordFile);
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb: ${made.error?.message ?? made.stderr.slice(-2_000)}`);
  }
  const log = join(folder, "log");
  const port = await freePort();
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  const server = spawn(
    "/bin/sh",
    ["-c", 'exec "$@" 2>"$LOG"', "sh", join(bin, "postgres"), "-D", data, ...settings.split(" ")],
    {
      ...options,
      env: { ...options.env, LOG: log },
      stdio: "ignore",
    },
  );
  const end = () => server.kill("SIGQUIT");
  process.once("exit", end);
  const stop = async () => {
    process.off("exit", end);
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const deadline = performance.now() + 60_000; !isReady(log); await wait(50)) {
    if (server.exitCode === null && performance.now() < deadline) continue;
    const said = existsSync(log) ? readFileSync(log, "utf8").slice(-2_000) : "";
    await stop();
    throw new Error(`postgres did not start: ${said}`);
  }
  return {
    connStr: `postgres://states@127.0.0.1:${port}/postgres?sslmode=disable`,
    env: { PGPASSWORD: password },
    stop,
  };
}

function programs(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
    : [];
  return versions
    .map((version) => join(DEBIAN, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
}

/** The server refuses to run as root: it then runs as the user from Debian's package. */
function owner():
  | { readonly uid: number; readonly gid: number }
  | Record<never, never>
  | undefined {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((what) =>
    spawnSync("id", [what, "postgres"], { encoding: "utf8" }).stdout.trim(),
  );
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/**
 * The temporary folder may be readable only for its owner; then the first folder above it that
 * another user can enter.
 */
function reachable(folder: string): string {
  for (let above = folder; above !== dirname(above); above = dirname(above))
    if ((statSync(above).mode & 0o001) === 0) return reachable(dirname(above));
  return folder;
}

function isReady(log: string): boolean {
  return (
    existsSync(log) &&
    readFileSync(log, "utf8").includes("database system is ready to accept connections")
  );
}

/** Requests its immediate end, because nothing of it is kept. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGINT");
  await gone;
}
