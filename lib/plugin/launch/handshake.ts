import type { AddressInfo } from "node:net";
import { PluginStartError } from "../faults";

/**
 * go-plugin's mark of a process that Terraform started. It is not a secret, but keeps people from
 * starting a provider by hand.
 */
export const MAGIC_COOKIE = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

/** Version of Terraform's plugin protocol. */
export const PROTOCOL_VERSION = 6;

/** How long Terraform tries to connect to a provider that it has launched, in milliseconds. */
export const FIRST_CONNECTION_MS = 60_000;

interface LaunchRequest {
  /**
   * The certificate of the only client, in PEM; undefined if Terraform does not use TLS
   * (TF_DISABLE_PLUGIN_TLS).
   */
  readonly clientCertificate: string | undefined;
}

/**
 * The settings that Terraform passes to a provider that it starts. Throws {@link PluginStartError}
 * if Terraform has not started it, or needs an unsupported setting.
 */
export function parseLaunch(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): LaunchRequest {
  if (env[MAGIC_COOKIE.name] !== MAGIC_COOKIE.value) {
    throw new PluginStartError(
      `This program is the Terraform provider "${name}". Terraform and OpenTofu start it; it cannot be run directly.`,
    );
  }
  const offered = (env.PLUGIN_PROTOCOL_VERSIONS ?? "").split(",").map((version) => version.trim());
  if (!offered.includes(String(PROTOCOL_VERSION))) {
    throw new PluginStartError(
      `The provider "${name}" needs plugin protocol ${PROTOCOL_VERSION}, which this program does not offer. Use Terraform 1.0 or newer, or OpenTofu 1.6 or newer.`,
    );
  }
  return { clientCertificate: env.PLUGIN_CLIENT_CERT || undefined };
}

/**
 * The single line on stdout by which Terraform finds the server. The certificate is in base64
 * without padding.
 *
 * @param address the path of the socket, or the port of a loopback address
 */
export function handshakeLine(
  address: string | Pick<AddressInfo, "address" | "port">,
  certificateDer: Uint8Array | undefined,
): string {
  const place =
    typeof address === "string" ? `unix|${address}` : `tcp|${address.address}:${address.port}`;
  const certificate =
    certificateDer === undefined
      ? ""
      : Buffer.from(certificateDer)
          .toString("base64")
          .replace(/={1,2}$/, "");
  return `1|${PROTOCOL_VERSION}|${place}|grpc|${certificate}\n`;
}
