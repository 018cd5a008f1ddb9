import { handshakeLine, MAGIC_COOKIE, parseLaunch } from "../../../lib/plugin/launch/handshake";
import { createHclog, logLevelOf } from "../../../lib/plugin/launch/hclog";
import type { Log, LogLevel } from "../../../lib/plugin/provider";

const cookie = { [MAGIC_COOKIE.name]: MAGIC_COOKIE.value };

test.each<[what: string, env: Record<string, string | undefined>, says: RegExp]>([
  [
    "without a cookie",
    { PLUGIN_PROTOCOL_VERSIONS: "6" },
    /^This program is the Terraform provider "iam". Terraform and OpenTofu start it; it cannot be run directly\.$/,
  ],
  [
    "with another cookie",
    { [MAGIC_COOKIE.name]: "x", PLUGIN_PROTOCOL_VERSIONS: "6" },
    /cannot be run directly/,
  ],
  ["without a version", cookie, /needs plugin protocol 6/],
  [
    "of other versions",
    { ...cookie, PLUGIN_PROTOCOL_VERSIONS: "4,5,66" },
    /needs plugin protocol 6/,
  ],
])("an environment %s is refused", (_what, env, says) => {
  const parse = () => parseLaunch({ ...env, PLUGIN_CLIENT_CERT: "canary" }, "iam");
  expect(parse).toThrow(expect.objectContaining({ name: "PluginStartError" }));
  expect(parse).toThrow(says);
  expect(parse).not.toThrow(/canary/);
});

test("reads the client's certificate, or that there is none", () => {
  const env = { ...cookie, PLUGIN_PROTOCOL_VERSIONS: "5, 6" };
  expect(parseLaunch({ ...env, PLUGIN_CLIENT_CERT: "pem" }, "iam").clientCertificate).toBe("pem");
  for (const given of ["", undefined])
    expect(
      parseLaunch({ ...env, PLUGIN_CLIENT_CERT: given }, "iam").clientCertificate,
    ).toBeUndefined();
});

test.each([
  ["1|6|unix|/tmp/s|grpc|\n", "/tmp/s", undefined],
  ["1|6|tcp|127.0.0.1:7|grpc|AQ\n", { address: "127.0.0.1", port: 7 }, Buffer.of(1)],
])("a server has a line of six fields: %j", (line, place, certificate) => {
  expect(handshakeLine(place, certificate)).toBe(line);
});

function logged(level: LogLevel | undefined, use: (log: Log) => void): string[] {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text);
  use(createHclog({ write, module: "provider.x", level, clock: () => 1_700_000_000_123 }));
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

test("TF_LOG_PROVIDER says the level, and TF_LOG without it", () => {
  expect(logLevelOf({})).toBeUndefined();
  expect(logLevelOf({ TF_LOG: "DEBUG" })).toBe("debug");
  expect(logLevelOf({ TF_LOG: "json" })).toBe("trace");
  expect(logLevelOf({ TF_LOG: "off" })).toBeUndefined();
  expect(logLevelOf({ TF_LOG: "TRACE", TF_LOG_PROVIDER: "WARN" })).toBe("warn");
  expect(logLevelOf({ TF_LOG: "TRACE", TF_LOG_PROVIDER: "OFF" })).toBeUndefined();
});
