import { PluginStartError } from "../faults";

/**
 * go-plugin's mark of a process that Terraform started: no secret, it keeps people from starting a
 * provider by hand.
 */
export const MAGIC_COOKIE = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

/** Of Terraform's plugin protocol. */
export const PROTOCOL_VERSION = 6;

/** How long Terraform tries to connect to what it has launched, in milliseconds. */
export const FIRST_CONNECTION_MS = 60_000;

/** How long the answer to Shutdown may take to leave. Terraform hangs up as soon as it has it. */
export const HANG_UP_MS = 50;

interface LaunchRequest {
  /**
   * The certificate of the one client, in PEM; undefined when Terraform was told to do without TLS
   * (TF_DISABLE_PLUGIN_TLS).
   */
  readonly clientCertificate: string | undefined;
}

/**
 * What Terraform asks of a provider that it starts. Throws {@link PluginStartError} when this is no
 * such start, or one that cannot be served.
 */
export function parseLaunch(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): LaunchRequest {
  if (env[MAGIC_COOKIE.name] !== MAGIC_COOKIE.value) {
    throw new PluginStartError(
      `This program is the Terraform provider "${name}": Terraform and OpenTofu start it themselves, and it does nothing on its own.`,
    );
  }
  const offered = (env.PLUGIN_PROTOCOL_VERSIONS ?? "").split(",").map((version) => version.trim());
  if (!offered.includes(String(PROTOCOL_VERSION))) {
    throw new PluginStartError(
      `The provider "${name}" speaks plugin protocol ${PROTOCOL_VERSION}, which this program does not offer: use Terraform 1.0 or OpenTofu 1.6, or a newer one.`,
    );
  }
  return { clientCertificate: env.PLUGIN_CLIENT_CERT || undefined };
}

/**
 * The one line on stdout by which Terraform finds the server. The certificate is in base64 without
 * padding.
 */
export function handshakeLine(socket: string, certificateDer: Uint8Array | undefined): string {
  const certificate =
    certificateDer === undefined
      ? ""
      : Buffer.from(certificateDer).toString("base64").replace(/=+$/, "");
  return `1|${PROTOCOL_VERSION}|unix|${socket}|grpc|${certificate}\n`;
}
