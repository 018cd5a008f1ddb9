import { ADDRCONFIG, lookup as lookupBySystem } from "node:dns";
import { once, setMaxListeners } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
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
  lookup: LookupFunction | undefined,
  signal: AbortSignal,
  connectTo = connectToAddress,
): Promise<Socket> {
  const addresses = isIP(host) === 0 ? await addressesOf(host, lookup) : [host];
  const pauseMs = Math.min(250, SHARED_MS / addresses.length);
  const won = new AbortController();
  const over = AbortSignal.any([signal, won.signal]);
  // Two for each address: Node.js would warn of them.
  setMaxListeners(0, over);
  let turn: Promise<unknown> = Promise.resolve();
  const tries = addresses.map((address) => {
    const trying = turn.then(() => connectTo(address, port, over));
    const failed = trying.then(
      () => new Promise<void>(() => {}),
      () => {},
    );
    const paused = turn.then(() => setTimeout(pauseMs, undefined, { signal: over }));
    turn = Promise.race([failed, paused.catch(() => {})]);
    return trying;
  });
  try {
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

/** Milliseconds in which all addresses are begun: half of the time for a connection. */
const SHARED_MS = 2_500;

async function addressesOf(
  host: string,
  lookup: LookupFunction = lookupBySystem,
): Promise<readonly string[]> {
  // As Node.js asks for a connection: no IPv6 address where this machine has none.
  const hints = process.platform === "win32" ? 0 : ADDRCONFIG;
  return new Promise((resolve, reject) => {
    lookup(host, { all: true, hints }, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === "string" ? [found] : found.map(({ address }) => address));
    });
  });
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
