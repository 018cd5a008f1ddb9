import { parseArgs } from "node:util";

/** Measurements, in this order. */
export const SECTIONS = {
  start: "from the start of the provider to its handshake line",
  plans: "terraform plan with 1, 10 and 100 tokens",
  aliases: "terraform plan with three provider blocks, a token each",
  first:
    "the first plan: with the start of what is attached, and with files that are not in memory",
  memory: "memory of the attached provider over 1,000 opened tokens",
  credentials: "1,000 different credentials in one plan",
  cdktf: "cdktf deploy of 1 and 10 stacks (minutes)",
  synthesis: "synthesis with our constructs and without (minutes)",
} as const;

export type SectionName = keyof typeof SECTIONS;

export interface BenchOptions {
  readonly rounds: number;
  readonly sections: readonly SectionName[];
  /** Further Node.js programs. */
  readonly nodes: readonly string[];
  readonly json: string | undefined;
  readonly write: boolean;
}

const ROUNDS = 15;
const QUICK_ROUNDS = 3;
const QUICK: readonly SectionName[] = ["start", "plans", "aliases", "first"];

export const HELP = `npm run bench -- [options]

Measures the embedded provider on this machine, compared with the floor and with other providers, in one run. Table on standard
output, progress on standard error. About eight minutes on a quiet machine; half of that are cdktf and synthesis.

  --rounds N     rounds of what is quick to measure (${ROUNDS}); fewer where a round takes long
  --quick        ${QUICK_ROUNDS} rounds, of ${QUICK.join(", ")} only: below a minute
  --only NAME    this only; may be given several times:
${Object.entries(SECTIONS)
  .map(([name, what]) => `                   ${name.padEnd(12)} ${what}`)
  .join("\n")}
  --node PATH    also with this Node.js; may be given several times
  --json FILE    everything that was measured, round by round
  --write        renews the tables and the chart of docs/speed.md and docs/speed-measured.md
  --help         this text
`;

/** @returns undefined when only the help is requested */
export function parseOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      node: { type: "string", multiple: true, default: [] },
      json: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const rounds =
    values.rounds === undefined ? (values.quick ? QUICK_ROUNDS : ROUNDS) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds is ${values.rounds}: give a whole number from 1 on.`);
  const all = Object.keys(SECTIONS) as SectionName[];
  const unknown = values.only.find((name) => !all.some((known) => known === name));
  if (unknown !== undefined)
    throw new Error(`--only is ${unknown}: give one of ${all.join(", ")}.`);
  const chosen =
    values.only.length > 0
      ? all.filter((name) => values.only.includes(name))
      : values.quick
        ? QUICK
        : all;
  if (values.write && chosen.length < all.length)
    throw new Error("--write needs everything measured: leave --only and --quick out.");
  return { rounds, sections: chosen, nodes: values.node, json: values.json, write: values.write };
}
