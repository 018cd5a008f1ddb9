import { createHclog, logLevelOf } from "../../../lib/plugin/launch/hclog";
import type { LogLevel } from "../../../lib/plugin/provider";

function logged(
  level: LogLevel | undefined,
  use: (log: ReturnType<typeof createHclog>) => void,
): string[] {
  const lines: string[] = [];
  use(
    createHclog({
      sink: { write: (text) => lines.push(text) },
      module: "provider.x",
      level,
      clock: () => 1_700_000_000_123,
    }),
  );
  return lines;
}

test("a line is one JSON object in the form of hclog, with six digits of a second", () => {
  const [line] = logged("trace", (log) => log("info", "two\nlines", { count: 2 }));
  expect(line).toBe(
    '{"count":2,"@level":"info","@message":"two\\nlines","@timestamp":"2023-11-14T22:13:20.123000Z","@module":"provider.x"}\n',
  );
});

test("fields cannot pass for level or message", () => {
  const [line = ""] = logged("trace", (log) =>
    log("error", "true", { "@level": "trace", "@message": "false" }),
  );
  expect(JSON.parse(line)).toMatchObject({ "@level": "error", "@message": "true" });
});

test("writes no lines below the level, and none without a level", () => {
  const all = (log: ReturnType<typeof createHclog>) => {
    for (const level of ["trace", "debug", "info", "warn", "error"] as const) log(level, level);
  };
  expect(logged("warn", all)).toHaveLength(2);
  expect(logged(undefined, all)).toHaveLength(0);
});

test.each([
  [{}, undefined],
  [{ TF_LOG: "DEBUG" }, "debug"],
  [{ TF_LOG: "json" }, "trace"],
  [{ TF_LOG: "off" }, undefined],
  [{ TF_LOG: "" }, undefined],
  [{ TF_LOG: "TRACE", TF_LOG_PROVIDER: "WARN" }, "warn"],
  [{ TF_LOG: "TRACE", TF_LOG_PROVIDER: "OFF" }, undefined],
  [{ TF_LOG_PROVIDER: "nonsense" }, "trace"],
])("%j means the level %s", (env, level) => {
  expect(logLevelOf(env)).toBe(level);
});
