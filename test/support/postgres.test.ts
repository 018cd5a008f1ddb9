import { once } from "node:events";
import { connect } from "node:net";
import { hasPostgres, startPostgres } from "./postgres";
import { testIf } from "./skips";

testIf(hasPostgres(), "there is no PostgreSQL server here")(
  "a PostgreSQL server listens on loopback, wants a password, and leaves nothing running",
  async () => {
    const postgres = await startPostgres();
    const { hostname, port, password } = new URL(postgres.connStr);
    expect({ hostname, password }).toEqual({ hostname: "127.0.0.1", password: "" });
    expect(postgres.env.PGPASSWORD).toMatch(/^[0-9a-f]{32}$/);
    const open = connect(Number(port), hostname);
    await once(open, "connect");
    open.destroy();
    await postgres.stop();
    const refused = connect(Number(port), hostname);
    expect(await once(refused, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
  },
  60_000,
);
