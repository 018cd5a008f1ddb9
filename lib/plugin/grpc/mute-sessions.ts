import type { Http2Session } from "node:http2";

const LOOK_MS = 5_000;

/**
 * Looks after sessions that have gone mute, and ends them.
 *
 * After some faults of its peer (a PING of another size, headers that cannot be read) Node.js sends
 * GOAWAY and nothing more, tells nobody, and does not notice the end of the socket. What is to be
 * sent on such a session stays in its queue. So each is given a PING to send: one that has it, or
 * anything else, still in its queue at two looks is mute. A peer that merely does not answer, since
 * it was stopped by Ctrl-Z, has it in its socket.
 *
 * @param sessions those that there are, at each look
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
