/** What a launcher leaves in the folder: that it takes a slot, and for which client. */
export interface Claim {
  /** The launcher's process id, as it sees it. */
  readonly launcher: number;
  /** The program that it would start. */
  readonly program: string;
  /** The certificate of its client, in DER. */
  readonly certificate: Uint8Array;
}

/**
 * Three parts, each from a line of its own on: process id, program, certificate in PEM. Undefined
 * when it is nothing of the kind.
 */
export function parseClaim(text: string): Claim | undefined {
  const [launcher = "", program = "", ...pem] = text.split("\n");
  const certificate = derOf(pem.join("\n"));
  if (!/^[1-9]\d{0,9}$/.test(launcher) || program === "" || certificate === undefined)
    return undefined;
  return { launcher: Number(launcher), program, certificate };
}

/**
 * The one certificate of a PEM text. It is compared with what TLS presents, never judged: so it is
 * not parsed any further.
 */
export function derOf(pem: string): Uint8Array | undefined {
  const base64 =
    /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)-----END CERTIFICATE-----\s*$/.exec(pem)?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
