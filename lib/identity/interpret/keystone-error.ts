import type { Answer } from "../transport/transport";
import { headerValues } from "./headers";

/**
 * Whether a refusal has the header or the body that Keystone gives it. Otherwise it is from a proxy
 * or another server at that address.
 */
export function isKeystones(answer: Answer): boolean {
  if (headerValues(answer, "www-authenticate").some((value) => /^Keystone\b/i.test(value)))
    return true;
  return objectIn(jsonOf(answer), "error")?.code === answer.status;
}

/** The body as JSON; undefined if it is incomplete or not JSON. */
export function jsonOf({ body, end }: Answer): unknown {
  if (end !== "complete") return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** A member that is an object; undefined for anything else, also for a member of anything else. */
export function objectIn(value: unknown, name: string): JsonObject | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
