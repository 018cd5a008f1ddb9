import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "./postgres";
import { testIf } from "./skips";

testIf(hasPostgres(), "there is no PostgreSQL server here")(
  "a PostgreSQL server listens on loopback, wants a password, and leaves nothing running",
  async () => {
    // As it is in CI: a server that runs as another user cannot get below it.
    const own = mkdtempSync(join(tmpdir(), "iam-own-"));
    mkdirSync(join(own, "tmp"));
    const postgres = await startPostgres(join(own, "tmp"));
    const { hostname, port, password } = new URL(postgres.connStr);
    expect({ hostname, password }).toEqual({ hostname: "127.0.0.1", password: "" });
    expect(postgres.env.PGPASSWORD).toMatch(/^[0-9a-f]{32}$/);
    const open = connect(Number(port), hostname);
    await once(open, "connect");
    open.destroy();
    await postgres.stop();
    rmSync(own, { recursive: true });
    const refused = connect(Number(port), hostname);
    expect(await once(refused, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
  },
  60_000,
);
