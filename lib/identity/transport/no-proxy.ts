import { BlockList, isIP } from "node:net";

/**
 * Whether NO_PROXY lists a host. Entries are separated by commas or white space: `*` (all), a host
 * (`example.com`, with or without a leading `.` or `*.`: it and everything below it), an address, a
 * range (`10.0.0.0/8`), each with an optional `:port`. Any other entry is ignored.
 */
export function isExempt(hostname: string, port: number, noProxy: string): boolean {
  const host = unbracketed(hostname.toLowerCase()).replace(/\.$/, "");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && names(entry, host, port));
}

function names(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  // A bare IPv6 address contains colons itself: with a port, it needs brackets.
  const [, name = "", wantedPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? ["", entry];
  if (wantedPort !== undefined && Number(wantedPort) !== port) return false;
  const wanted = unbracketed(name);
  if (wanted.includes("/")) return inRange(wanted, host);
  if (isIP(wanted) !== 0)
    return (
      isIP(host) === isIP(wanted) && inRange(`${wanted}/${isIP(wanted) === 4 ? 32 : 128}`, host)
    );
  const domain = wanted.replace(/^\*?\./, "").replace(/\.$/, "");
  return domain !== "" && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
}

function inRange(range: string, host: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  const family = isIP(address);
  if (
    family === 0 ||
    isIP(host) !== family ||
    !/^\d{1,3}$/.test(bits) ||
    Number(bits) > (family === 4 ? 32 : 128)
  )
    return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** An IPv6 address without the brackets of a URL. */
const unbracketed = (host: string) => host.replace(/^\[(.*)\]$/, "$1");
