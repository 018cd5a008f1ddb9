import type { Http2Session } from "node:http2";

const LOOK_MS = 5_000;

/**
 * Watches for sessions that no longer send, and ends them.
 *
 * After some faults of its peer (a PING of another size, unreadable headers), Node.js sends GOAWAY
 * and nothing more, emits no event, and does not notice the end of the socket. All further data for
 * such a session stays in its queue. So each session gets a PING to send: if this or other data is
 * still in its queue at two checks, the session is mute. With a peer that merely does not answer,
 * for instance after Ctrl-Z, the data is already in the socket.
 *
 * @param sessions the existing ones, at each check
 */
export function endMuteSessions(sessions: ReadonlyMap<Http2Session, unknown>): NodeJS.Timeout {
  let suspects = new Set<Http2Session>();
  const look = (): void => {
    const before = suspects;
    suspects = new Set();
    for (const session of sessions.keys()) {
      if (session.destroyed) continue;
      if ((session.state.outboundQueueSize ?? 0) === 0) session.ping(() => undefined);
      else if (before.has(session)) session.destroy();
      else suspects.add(session);
    }
  };
  return setInterval(look, LOOK_MS).unref();
}
