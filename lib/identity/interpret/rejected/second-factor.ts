import * as z from "zod/mini";
import type { Answer } from "../../transport/transport";
import { jsonOf } from "../keystone-error";

/** A list for each set of methods that the service accepts together. */
const receiptBody = z.object({ required_auth_methods: z.array(z.array(z.string())) });

/** Keystone's names: they get into a message. */
const METHOD = /^[a-z0-9_-]{1,32}$/;
const MAX_SETS = 4;
const MAX_METHODS = 8;

/**
 * The methods that the service requires together, in words: "password and totp, or password and
 * openid". Empty if the answer does not name them.
 */
export function factorsOf(answer: Answer): string {
  const parsed = receiptBody.safeParse(jsonOf(answer));
  if (!parsed.success) return "";
  return parsed.data.required_auth_methods
    .map((methods) => methods.filter((name) => METHOD.test(name)).slice(0, MAX_METHODS))
    .filter((methods) => methods.length > 0)
    .slice(0, MAX_SETS)
    .map((methods) => methods.join(" and "))
    .join(", or ");
}
