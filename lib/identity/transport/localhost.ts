import type { LookupFunction } from "node:net";

const ADDRESSES = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/**
 * The addresses of `localhost`, without a resolver: that name may get a password over http and
 * without a proxy, because it is this machine. If it is missing in the hosts file, as in some
 * containers, a resolver may return another machine.
 *
 * @see RFC 6761, section 6.3
 */
export const lookupLocalhost: LookupFunction = (_hostname, { all, family }, callback) => {
  const fitting = ADDRESSES.filter(
    (each) => (family !== 4 && family !== 6) || each.family === family,
  );
  const [first] = fitting;
  // Later, like a resolver: the caller is not ready for an answer yet.
  process.nextTick(() => {
    if (all) callback(null, [...fitting]);
    else callback(null, first?.address ?? "", first?.family);
  });
};
