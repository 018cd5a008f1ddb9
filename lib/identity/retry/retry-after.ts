import { headerValues, parseHttpDate, serviceTime } from "../interpret/headers";
import type { Answer } from "../transport/transport";

/**
 * Milliseconds that an answer asks to wait (Retry-After in seconds or as a date), never negative;
 * undefined when it does not ask, or nonsense. A date is compared with the service's own clock.
 */
export function retryAfterOf(answer: Answer): number | undefined {
  const waits = headerValues(answer, "retry-after").flatMap((text) => {
    if (/^\d{1,10}$/.test(text)) return [Number(text) * 1000];
    const date = parseHttpDate(text);
    return date === undefined
      ? []
      : [Math.max(0, date - (serviceTime(answer) ?? answer.receivedAt))];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
