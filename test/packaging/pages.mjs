// The pages of the packed package, as somebody finds them in node_modules.

import { posix } from "node:path";
import { report } from "./problems.mjs";

/** As GitHub and npm make them from headings. */
const anchorsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replace(/ /g, "-"),
  );

const withoutCode = (text) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** Every link and picture of every page leads to a file or folder of the tarball itself. */
export function checkLinks({ entries }) {
  const files = new Map(entries.map(({ name, content }) => [name, content]));
  const folders = new Set(entries.flatMap(({ name }) => foldersAbove(name)));
  let followed = 0;
  const problems = [];
  for (const [page, content] of files) {
    if (!page.endsWith(".md")) continue;
    const text = withoutCode(content.toString("utf8"));
    for (const [, target] of [
      ...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g),
      ...text.matchAll(/\b(?:src|srcset)="(?!https?:)([^"]+)"/g),
    ]) {
      followed++;
      const [path, anchor] = target.split("#");
      const file =
        path === ""
          ? page
          : posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, "");
      if (!files.has(file) && !folders.has(file)) problems.push(`${page}: ${target} is not there`);
      else if (anchor !== undefined && !anchorsOf(String(files.get(file))).includes(anchor))
        problems.push(`${page}: ${target} names no heading`);
    }
  }
  if (followed < 80) problems.push(`Only ${followed} links were found.`);
  report(problems);
  return `${followed} links`;
}

const foldersAbove = (name) =>
  name
    .split("/")
    .flatMap((_, index, parts) => (index === 0 ? [] : [parts.slice(0, index).join("/")]));
