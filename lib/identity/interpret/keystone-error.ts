import * as z from "zod/mini";
import type { Answer } from "../transport/transport";
import { headerValues } from "./headers";

const errorBody = z.object({ error: z.object({ code: z.number() }) });

/**
 * Whether a refusal has the header or the body that Keystone gives it. Otherwise it is from a proxy
 * or another server at that address.
 */
export function isKeystones(answer: Answer): boolean {
  if (headerValues(answer, "www-authenticate").some((value) => /^Keystone\b/i.test(value)))
    return true;
  const error = errorBody.safeParse(jsonOf(answer));
  return error.success && error.data.error.code === answer.status;
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
