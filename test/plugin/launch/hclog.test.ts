import { createHclog, logLevelOf } from "../../../lib/plugin/launch/hclog";
import type { Log, LogLevel } from "../../../lib/plugin/provider";

function logged(level: LogLevel | undefined, use: (log: Log) => void): string[] {
  const lines: string[] = [];
  const sink = { write: (text: string) => lines.push(text) };
  use(createHclog({ sink, module: "provider.x", level, clock: () => 1_700_000_000_123 }));
  return lines;
}

test("a line is one JSON object in the form of hclog, with six digits of a second; no field passes for another", () => {
  const fields = { count: 2, "@level": "trace", "@message": "false" };
  const [line] = logged("trace", (log) => log("info", "two\nlines", fields));
  expect(line).toBe(
    '{"count":2,"@level":"info","@message":"two\\nlines","@timestamp":"2023-11-14T22:13:20.123000Z","@module":"provider.x"}\n',
  );
});

test("writes no lines below the level, and none without a level", () => {
  const all = (log: Log) => {
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
  [{ TF_LOG: "TRACE", TF_LOG_PROVIDER: "WARN" }, "warn"],
  [{ TF_LOG: "TRACE", TF_LOG_PROVIDER: "OFF" }, undefined],
])("%j means the level %s", (env, level) => {
  expect(logLevelOf(env)).toBe(level);
});
