import { ADDRCONFIG, promises } from "node:dns";
import { once, setMaxListeners } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** The target of a connection. */
export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * A connection to the first address of a host that accepts one.
 *
 * Each further address is tried when the one before has failed, or after a pause, and none is given
 * up before: Node.js itself leaves each but the last after 250 ms, and then has nothing where an
 * IPv6 address is dead and the way to the other one is long.
 *
 * @see RFC 8305, section 5
 */
export async function connectFirst(
  { host, port }: Target,
  lookup: Lookup = lookupBySystem,
  signal: AbortSignal,
  connectTo = connectToAddress,
): Promise<Socket> {
  const addresses = await addressesOf(host, lookup);
  const [only = host, ...more] = addresses;
  if (more.length === 0) return connectTo(only, port, signal);
  const pauseMs = Math.min(250, SHARED_MS / addresses.length);
  const won = new AbortController();
  const over = AbortSignal.any([signal, won.signal]);
  // Two for each address: Node.js would warn of them.
  setMaxListeners(0, over);
  const tries: Promise<Socket>[] = [];
  try {
    for (const address of addresses) {
      const trying = connectTo(address, port, over);
      tries.push(trying);
      const isOver = await Promise.race([
        Promise.any(tries).then(yes, no),
        trying.then(yes, no),
        setTimeout(pauseMs, false, { signal: over }).catch(yes),
      ]);
      if (isOver) break;
    }
    const socket = await Promise.any(tries);
    // Two may have been accepted at the same moment.
    for (const other of tries)
      void other.then((late) => late === socket || late.destroy()).catch(() => {});
    return socket;
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    won.abort();
  }
}

const [yes, no] = [() => true, () => false];

/** Milliseconds in which all addresses are begun: half of the time for a connection. */
const SHARED_MS = 2_500;

/** Resolves a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** As Node.js asks for a connection: no IPv6 address where this machine has none. */
const lookupBySystem: Lookup = async (host) => {
  const hints = process.platform === "win32" ? 0 : ADDRCONFIG;
  return (await promises.lookup(host, { all: true, hints })).map(({ address }) => address);
};

/**
 * Those of `localhost` without a resolver: that name may get a password over http and without a
 * proxy, because it is this machine. If it is missing in the hosts file, as in some containers, a
 * resolver may return another machine.
 *
 * @see RFC 6761, section 6.3
 */
async function addressesOf(host: string, lookup: Lookup): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  return host === "localhost" ? ["127.0.0.1", "::1"] : lookup(host);
}

async function connectToAddress(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ host, port });
  socket.setNoDelay(true);
  // Kept permanently: a second error must not end the process.
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}
