import { handshakeLine, MAGIC_COOKIE, parseLaunch } from "../../../lib/plugin/launch/handshake";

const cookie = { [MAGIC_COOKIE.name]: MAGIC_COOKIE.value };

test.each([{}, { [MAGIC_COOKIE.name]: "x" }])(
  "without Terraform's cookie (%j) one sentence says what this is",
  (env) => {
    expect(() => parseLaunch({ ...env, PLUGIN_PROTOCOL_VERSIONS: "6" }, "iam")).toThrow(
      'This program is the Terraform provider "iam": Terraform and OpenTofu start it themselves, and it does nothing on its own.',
    );
  },
);

test.each([undefined, "", "5", "4,5", "16", "66"])(
  "a Terraform that offers the protocols %p is too old",
  (versions) => {
    expect(() => parseLaunch({ ...cookie, PLUGIN_PROTOCOL_VERSIONS: versions }, "iam")).toThrow(
      /speaks plugin protocol 6/,
    );
  },
);

test("the client's certificate is taken, or its absence", () => {
  const env = { ...cookie, PLUGIN_PROTOCOL_VERSIONS: "5,6" };
  expect(parseLaunch({ ...env, PLUGIN_CLIENT_CERT: "pem" }, "iam").clientCertificate).toBe("pem");
  expect(parseLaunch(env, "iam").clientCertificate).toBeUndefined();
});

test("the line has six fields, and its base64 no padding", () => {
  expect(handshakeLine("/tmp/s", Buffer.from("a"))).toBe("1|6|unix|/tmp/s|grpc|YQ\n");
  expect(handshakeLine("/tmp/s", undefined)).toBe("1|6|unix|/tmp/s|grpc|\n");
});
