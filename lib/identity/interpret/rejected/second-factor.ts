import type { Answer } from "../../transport/transport";
import { jsonOf } from "../keystone-error";

/** Keystone's names: they get into a message. */
const METHOD = /^[a-z0-9_-]{1,32}$/;
const MAX_SETS = 4;
const MAX_METHODS = 8;

/**
 * The methods that the service requires together, in words: "password and totp, or password and
 * openid". Empty if the answer does not name them.
 */
export function factorsOf(answer: Answer): string {
  const { required_auth_methods: sets } = Object(jsonOf(answer)) as Record<string, unknown>;
  return listOf(sets)
    .map((methods) => listOf(methods).filter(isMethod).slice(0, MAX_METHODS))
    .filter((methods) => methods.length > 0)
    .slice(0, MAX_SETS)
    .map((methods) => methods.join(" and "))
    .join(", or ");
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isMethod = (value: unknown): value is string =>
  typeof value === "string" && METHOD.test(value);
