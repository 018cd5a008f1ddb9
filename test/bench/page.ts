import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

const PAGE = join(packageRoot, "docs/speed.md");
const CHART = join(packageRoot, "docs/speed.svg");

/** What `--write` puts between the marks of the page. */
export interface PageParts {
  readonly machine: string;
  readonly figures: string;
  readonly tables: string;
  readonly chart: string;
}

/** @throws Error when the page has lost its marks */
export function writePage({ chart, ...parts }: PageParts): void {
  let page = readFileSync(PAGE, "utf8");
  for (const [name, content] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`];
    const [from, to] = [page.indexOf(begin), page.indexOf(end)];
    if (from < 0 || to < from)
      throw new Error(`docs/speed.md has lost the marks around "${name}".`);
    page = `${page.slice(0, from + begin.length)}${content.trimEnd()}\n${page.slice(to)}`;
  }
  writeFileSync(PAGE, page);
  writeFileSync(CHART, chart);
}
