/** Writes a line for people who look for a fault. No field ever holds a secret. */
export type IdentityLog = (
  level: "trace" | "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;
