import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

const COSTS = "docs/speed.md";
const MEASURED = "docs/speed-measured.md";
const CHART = join(packageRoot, "docs/speed.svg");

/** What `--write` puts between the marks of the two pages. */
export interface PageParts {
  readonly machine: string;
  readonly costs: string;
  readonly figures: string;
  readonly tables: string;
  readonly chart: string;
}

/** @throws Error when a page has lost its marks */
export function writePages({ chart, costs, ...parts }: PageParts): void {
  writePage(COSTS, { costs });
  writePage(MEASURED, parts);
  writeFileSync(CHART, chart);
}

function writePage(name: string, parts: Readonly<Record<string, string>>): void {
  const path = join(packageRoot, name);
  let page = readFileSync(path, "utf8");
  for (const [part, content] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${part}:begin -->\n`, `<!-- ${part}:end -->`];
    const [from, to] = [page.indexOf(begin), page.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${name} has lost the marks around "${part}".`);
    page = `${page.slice(0, from + begin.length)}${content.trimEnd()}\n${page.slice(to)}`;
  }
  writeFileSync(path, page);
}
