// Tables in Markdown.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { tsImport } from "tsx/esm/api";

export const lib = resolve(import.meta.dirname, "../../lib");

/** A module of lib, by its path. */
export const from = (path) => tsImport(resolve(lib, path), import.meta.url);

/** The text of a file of lib. */
export const sourceOf = (path) => readFileSync(resolve(lib, path), "utf8");

export const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (...words) => words.map((word) => `\`${cell(word)}\``).join(", ");

export const table = (head, rows) =>
  [head, ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .toSpliced(1, 0, `|${"---|".repeat(head.length)}`)
    .join("\n");

/** A page of lines. */
export const page = (...lines) => `${lines.join("\n").trimEnd()}\n`;
