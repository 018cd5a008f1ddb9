/**
 * `npm run bench`: how much longer commands take with tokens, in a few minutes. Only the ratios are
 * to be kept: absolute times are those of the machine.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../support/project";
import { compareWith } from "./against";
import { measurePlans } from "./plans";
import { measureDeployments, measureSynthesis } from "./programs";
import { costsMarkdown } from "./report";
import { openStage } from "./stage";

const HELP = `npm run bench -- [options]

  --rounds N   rounds (15); at most 3 of what takes long
  --against D  compares with another checkout, built in the folder D, instead
  --write      renews the table of docs/speed.md
  --json       prints the milliseconds of each round instead
  --help       this text
`;
const PAGE = join(packageRoot, "docs/speed.md");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "15" },
      against: { type: "string" },
      write: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds is ${values.rounds}: give a whole number from 1 on.`);
  const stage = await openStage(rounds);
  try {
    const before = loadavg()[0]?.toFixed(1);
    if (values.against !== undefined) {
      const ratios = await compareWith(stage, resolve(values.against));
      process.stdout.write(`${ratios}\n\n${rounds} rounds, load before: ${before}.\n`);
      return;
    }
    const measured = [
      ...(await measurePlans(stage)),
      ...(await measureDeployments(stage)),
      ...(await measureSynthesis(stage)),
    ];
    if (values.json) return void process.stdout.write(`${JSON.stringify(measured)}\n`);
    const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${platform()}, Node.js ${process.versions.node}; ${rounds} rounds, load before: ${before}.`;
    const text = `${costsMarkdown(measured)}\n\n${machine}\n`;
    process.stdout.write(text);
    if (!values.write) return;
    const page = readFileSync(PAGE, "utf8");
    const table = /(?<=<!-- costs:begin -->\n)[\s\S]*(?=<!-- costs:end -->)/;
    writeFileSync(
      PAGE,
      page.replace(table, () => text),
    );
  } finally {
    await stage.remove();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
