import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Asked, SeenAnswer } from "./meaning";

const FOLDER = join(__dirname, "recorded");

/** The names of all recorded exchanges. */
export const RECORDED_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".txt"))
  .map((file) => file.replace(/\.txt$/, ""))
  .sort();

/** A request and its answer, as a real Keystone gave it. Secrets are placeholders. */
export function readRecorded(name: string): {
  readonly request: Asked;
  readonly answer: SeenAnswer;
} {
  const text = readFileSync(join(FOLDER, `${name}.txt`), "utf8");
  const [, method = "", asked = "", status, head = "", body = ""] =
    /^# .*\n> ([A-Z]+)((?:.*\n>)*.*\n)\n< HTTP\/1\.1 (\d{3}).*\n((?:< .*\n)+)<\n([\s\S]*)\n# \d+ ms\n$/.exec(
      text,
    ) ?? [];
  const headers = [...head.matchAll(/^< ([\w-]+): (.*)$/gm)].map(
    ([, header = "", value = ""]) => [header, value] as const,
  );
  const requestBody = asked.split("\n>\n> ")[1] ?? "";
  return {
    request: { method, body: requestBody },
    answer: { status: Number(status), headers, body },
  };
}
