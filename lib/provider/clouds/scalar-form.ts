import type { ScalarForm } from "./cloud-value";

/**
 * How OpenStack's clients (PyYAML, that is YAML 1.1) read a scalar without quotes. They convert a
 * decimal number to a string of the same digits, so `decimal` is as good as a string. They read
 * every `other` form differently from its spelling: `0123` is the number 83, `12:34` is 754, `1.10`
 * is 1.1.
 */
export function scalarForm(text: string): ScalarForm {
  if (NULL.test(text)) return "null";
  if (BOOLEAN.test(text)) return "boolean";
  if (DECIMAL.test(text)) return "decimal";
  return NUMBERS_AND_TIMES.some((pattern) => pattern.test(text)) || text === "=" || text === "<<"
    ? "other"
    : "text";
}

/** The same for JSON, in which only numbers, true, false and null have no quotes. */
export function jsonScalarForm(text: string): ScalarForm {
  if (text === "null") return "null";
  if (text === "true" || text === "false") return "boolean";
  return DECIMAL.test(text) ? "decimal" : "other";
}

const NULL = /^(?:~|null|Null|NULL|)$/;
const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const DECIMAL = /^(?:0|[1-9][0-9]*)$/;
const NUMBERS_AND_TIMES = [
  // Integers: binary, octal, signed or with underscores, hexadecimal, to the base 60.
  /^[-+]?0b[01_]+$/,
  /^[-+]?0[0-7_]+$/,
  /^[-+]?(?:0|[1-9][0-9_]*)$/,
  /^[-+]?0x[0-9a-fA-F_]+$/,
  /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/,
  // Floating point.
  /^[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?$/,
  /^\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?$/,
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
  /^[-+]?\.(?:inf|Inf|INF)$/,
  /^\.(?:nan|NaN|NAN)$/,
  // Dates, with or without a time.
  /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/,
];
