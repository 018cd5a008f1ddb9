/** Distinguished Encoding Rules, as far as a certificate needs them. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
};

/** Tag, length and content of one element. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  const size = content.length;
  // Lengths below 128 are one byte; longer ones are preceded by the count of their bytes.
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...length), content]);
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => element(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Uint8Array => element(0x31, ...items);
export const explicit = (number: number, content: Uint8Array): Uint8Array =>
  element(0xa0 | number, content);
export const octetString = (content: Uint8Array): Uint8Array => element(TAG.octetString, content);
export const utf8String = (text: string): Uint8Array =>
  element(TAG.utf8String, Buffer.from(text, "utf8"));
export const utcTime = (text: string): Uint8Array =>
  element(TAG.utcTime, Buffer.from(text, "latin1"));
export const generalizedTime = (text: string): Uint8Array =>
  element(TAG.generalizedTime, Buffer.from(text, "latin1"));
export const TRUE = element(TAG.boolean, Uint8Array.of(0xff));

/** A positive integer from its big-endian bytes. */
export function unsigned(bytes: Uint8Array): Uint8Array {
  const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const first = trimmed[0] ?? 0;
  return element(TAG.integer, Uint8Array.from(first >= 0x80 ? [0, ...trimmed] : trimmed));
}

export function bitString(content: Uint8Array, unusedBits = 0): Uint8Array {
  return element(TAG.bitString, Uint8Array.of(unusedBits), content);
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(TAG.oid, Uint8Array.from(bytes));
}
