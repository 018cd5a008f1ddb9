import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type RunningCommand, startCommand, succeed } from "../support/command";
import { freePort } from "../support/loopback-server";

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
export async function startPostgres(): Promise<Postgres> {
  const [uid, gid] = owner() ?? [];
  const folder = mkdtempSync(join(uid === undefined ? tmpdir() : reachable(tmpdir()), "iam-pg-"));
  const passwordFile = join(folder, "password");
  const password = randomBytes(16).toString("hex");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined)
    for (const path of [folder, passwordFile]) chownSync(path, uid, gid);
  const user = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const command = (program: string, settings: string) => [
    ...user,
    join(programs() ?? "", program),
    ...`-D data ${settings}`.split(" "),
  ];
  // Nothing of this machine's configuration, and no locale that may be missing.
  const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" };
  const port = await freePort();
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  let server: RunningCommand | undefined;
  const end = () => server?.signalAlone("SIGQUIT");
  const stop = async () => {
    process.off("exit", end);
    // Its immediate end, because nothing of it is kept.
    server?.signalAlone("SIGINT");
    await server?.finished;
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", end);
  try {
    const cluster = "-U states -A scram-sha-256 -E UTF8 --no-sync --pwfile=password";
    await succeed("setpriv", command("initdb", cluster), folder, env);
    rmSync(passwordFile);
    const run = { cwd: folder, env, timeoutMs: 3_600_000 };
    server = startCommand("setpriv", command("postgres", settings), run);
    await server.printed(/database system is ready to accept connections/);
  } catch (error) {
    await stop();
    throw error;
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
function owner(): readonly number[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const ids = ["-u", "-g"].map((what) =>
    Number.parseInt(spawnSync("id", [what, "postgres"], { encoding: "utf8" }).stdout, 10),
  );
  return ids.some(Number.isNaN) ? undefined : ids;
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
