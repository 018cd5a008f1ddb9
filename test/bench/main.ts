/**
 * `npm run bench`: how much longer commands take with tokens, in a few minutes. Only the ratios are
 * to be kept: absolute times are those of the machine.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packageVersion } from "../../lib/delivery/package-root";
import { builtProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { COMMANDS, openCommands } from "./commands";
import type { Outcome } from "./pairs";
import { costsMarkdown } from "./report";
import { openStage } from "./stage";

const HELP = `npm run bench -- [options]

  --rounds N   rounds (15)
  --only TEXT  the commands with this text
  --write      renews the table of docs/api/speed.md
  --help       this text
`;
const PAGE = join(packageRoot, "docs/api/speed.md");

/** Whose figures these are. */
function version(): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: packageRoot });
  const date = new Date().toISOString().slice(0, 10);
  return `Version ${packageVersion()} (commit ${String(commit).trim()}, ${date})`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "15" },
      only: { type: "string", default: "" },
      write: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds is ${values.rounds}: give a whole number from 1 on.`);
  const load = loadavg()[0]?.toFixed(1);
  const machine = `${version()}: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${platform()}, Node.js ${process.versions.node}; ${rounds} rounds, load before: ${load}.`;
  const stage = await openStage(rounds);
  const commands = await openCommands(stage);
  try {
    // The first call on a machine builds it, in up to a minute.
    const noPeer = await builtProvider("http").then(() => undefined, String);
    if (noPeer !== undefined) console.error(`hashicorp/http is left out: ${noPeer}`);
    const measured: Outcome[][] = [];
    for (const command of COMMANDS.filter(({ name }) => name.includes(values.only))) {
      const instead = command.tokens && !noPeer ? (["none", "http"] as const) : ["none" as const];
      const contestants = await Promise.all([
        commands.ready(command),
        ...instead.map((other) => commands.ready(command, other)),
      ]);
      measured.push(await stage.measure(command.name, contestants));
    }
    const text = `${costsMarkdown(measured)}\n\n${machine}\n`;
    process.stdout.write(text);
    if (!values.write || values.only) return;
    const page = readFileSync(PAGE, "utf8");
    const costs = /(?<=<!-- costs:begin -->\n)[\s\S]*(?=<!-- costs:end -->)/;
    writeFileSync(
      PAGE,
      page.replace(costs, () => text),
    );
  } finally {
    await commands.stop();
    await stage.remove();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
