import fc from "fast-check";
import { PluginStartError } from "../../../lib/plugin/faults";
import { handshakeLine, MAGIC_COOKIE, parseLaunch } from "../../../lib/plugin/launch/handshake";
import { socketProblem } from "../../../lib/plugin/launch/socket-folder";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

const cookie = { [MAGIC_COOKIE.name]: MAGIC_COOKIE.value };

test.each([{}, { [MAGIC_COOKIE.name]: "x" }])(
  "without Terraform's cookie (%j) explains in one sentence what this program is",
  (env) => {
    expect(() => parseLaunch({ ...env, PLUGIN_PROTOCOL_VERSIONS: "6" }, "iam")).toThrow(
      'This program is the Terraform provider "iam". Terraform and OpenTofu start it; it cannot be run directly.',
    );
  },
);

test.each([undefined, "4,5"])("a Terraform that offers the protocols %p is too old", (versions) => {
  expect(() => parseLaunch({ ...cookie, PLUGIN_PROTOCOL_VERSIONS: versions }, "iam")).toThrow(
    /needs plugin protocol 6/,
  );
});

test("reads the client's certificate, or that there is none", () => {
  const env = { ...cookie, PLUGIN_PROTOCOL_VERSIONS: "5,6" };
  expect(parseLaunch({ ...env, PLUGIN_CLIENT_CERT: "pem" }, "iam").clientCertificate).toBe("pem");
  expect(parseLaunch(env, "iam").clientCertificate).toBeUndefined();
});

test("the line has six fields without a certificate as well", () => {
  expect(handshakeLine("/tmp/s", undefined)).toBe("1|6|unix|/tmp/s|grpc|\n");
});

describe("fuzzing", () => {
  const CANARY = "canary-certificate";

  test("accepts a launch with the cookie and version 6, and repeats no environment in messages", () => {
    const version = fc.oneof(fc.nat({ max: 9 }).map(String), fc.string({ maxLength: 2 }));
    const blank = fc.constantFrom("", " ", "\t");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(blank, version, blank), { maxLength: 4 }),
        fc.constantFrom(MAGIC_COOKIE.value, MAGIC_COOKIE.value, MAGIC_COOKIE.value, "", CANARY),
        (versions, given) => {
          const env = {
            [MAGIC_COOKIE.name]: given,
            PLUGIN_PROTOCOL_VERSIONS: versions.map((parts) => parts.join("")).join(","),
            PLUGIN_CLIENT_CERT: CANARY,
          };
          const offered = versions.flatMap(([, each]) => each.split(",").map((one) => one.trim()));
          try {
            expectOften(parseLaunch(env, "iam").clientCertificate).toBe(CANARY);
            expectOften(given).toBe(MAGIC_COOKIE.value);
            expect(offered).toContain("6");
          } catch (error) {
            if (!(error instanceof PluginStartError)) throw error;
            expectOften(error.message).not.toContain(CANARY);
            expectOften(given === MAGIC_COOKIE.value && offered.includes("6")).toBe(false);
          }
        },
      ),
      fuzz(5000),
    );
  });

  test("a socket that may be used makes a line of six fields, with the certificate that was given", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 120 }).map((rest) => `/${rest}`);
    fc.assert(
      fc.property(text, fc.uint8Array({ minLength: 1, maxLength: 60 }), (socket, certificate) => {
        fc.pre(socketProblem(socket, "linux") === undefined);
        const line = handshakeLine(socket, certificate);
        expectOften(line.split("\n")).toHaveLength(2);
        const [core, protocol, network, address, kind, base64 = ""] = line.trimEnd().split("|");
        expectOften([core, protocol, network, address, kind]).toEqual([
          "1",
          "6",
          "unix",
          socket,
          "grpc",
        ]);
        expectOften(line.split("|")).toHaveLength(6);
        expectOften(base64).not.toContain("=");
        expectOften(Buffer.from(base64, "base64")).toEqual(Buffer.from(certificate));
        // The kernel's structure has 108 bytes, and the last is the end mark.
        expectOften(Buffer.byteLength(socket)).toBeLessThan(108);
      }),
      fuzz(),
    );
  });
});
