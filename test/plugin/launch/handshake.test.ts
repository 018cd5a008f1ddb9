import fc from "fast-check";
import { handshakeLine, MAGIC_COOKIE, parseLaunch } from "../../../lib/plugin/launch/handshake";
import { socketProblem } from "../../../lib/plugin/launch/socket-folder";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

const cookie = { [MAGIC_COOKIE.name]: MAGIC_COOKIE.value };

test.each<[env: Record<string, string | undefined>, says: RegExp]>([
  [
    { PLUGIN_PROTOCOL_VERSIONS: "6" },
    /^This program is the Terraform provider "iam". Terraform and OpenTofu start it; it cannot be run directly\.$/,
  ],
  [{ [MAGIC_COOKIE.name]: "x", PLUGIN_PROTOCOL_VERSIONS: "6" }, /cannot be run directly/],
  [cookie, /needs plugin protocol 6/],
  [{ ...cookie, PLUGIN_PROTOCOL_VERSIONS: "4,5,66" }, /needs plugin protocol 6/],
])("the environment %j is refused: %s", (env, says) => {
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
  ["/tmp/s", undefined, "1|6|unix|/tmp/s|grpc|\n"],
  [{ address: "127.0.0.1", port: 7 }, Buffer.of(1), "1|6|tcp|127.0.0.1:7|grpc|AQ\n"],
])("a server at %j has a line of six fields", (place, certificate, line) => {
  expect(handshakeLine(place, certificate)).toBe(line);
});

test("any socket that may be used makes a line of six fields, with the certificate that was given", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 120 }).map((rest) => `/${rest}`);
  fc.assert(
    fc.property(text, fc.uint8Array({ minLength: 1, maxLength: 60 }), (socket, certificate) => {
      fc.pre(socketProblem(socket, "linux") === undefined);
      const line = handshakeLine(socket, certificate);
      const [core, protocol, network, address, kind, base64 = "", ...more] = line
        .trimEnd()
        .split("|");
      expectOften([core, protocol, network, address, kind, ...more]).toEqual([
        ...["1", "6", "unix", socket, "grpc"],
      ]);
      expectOften(base64).not.toContain("=");
      expectOften(Buffer.from(base64, "base64")).toEqual(Buffer.from(certificate));
      // The kernel's structure has 108 bytes, and the last is the end mark.
      expectOften(Buffer.byteLength(socket)).toBeLessThan(108);
    }),
    fuzz(),
  );
});
