import { shortened } from "../../tokens";
import { oneLine } from "./finding";

/** Far above what Terraform says about one provider. */
const LENGTH = 2_000;

const PARSING = "Error: Error parsing ";

/** Of no use in a trial folder. */
const ADVICE = /^(?:As a result of the above problems|To see which modules).*/ms;

/**
 * Terraform's errors and warnings, without the frames around them, and without what may be secret:
 * an error in a file of its command line repeats a part of it, which may be a token.
 *
 * @returns undefined if it has printed none
 */
export function terraformWords(printed: string): string | undefined {
  const text = printed.replaceAll(/\r|^[╷│╵] ?/gm, "");
  const diagnostics = text
    .split(/^(?=(?:Error|Warning): )/m)
    .filter((each) => /^(?:Error|Warning): /.test(each));
  if (diagnostics.length === 0) return undefined;
  const words = diagnostics.map((each) => {
    const line = oneLine(each.replace(ADVICE, "").replace("\n\n", ".\n"));
    if (!line.startsWith(PARSING)) return line;
    const end = line.indexOf(": ", PARSING.length);
    if (end < 0) return `${PARSING}a file.`;
    const [place = ""] = /^: At \d+:\d+/.exec(line.slice(end)) ?? [];
    return `${line.slice(0, end)}${place}.`;
  });
  return shortened(words.join(" ").replaceAll(/\/\/[^\s/@]+@/g, "//…@"), LENGTH);
}
