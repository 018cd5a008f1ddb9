/**
 * A host as sockets and certificates name it: an IPv6 address without the brackets that it has in
 * an address.
 */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
