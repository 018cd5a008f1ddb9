// docs/api/typescript-only.md: the declaration of every name that only TypeScript and JavaScript
// can import. jsii-docgen documents the others (lib/build/languages/reference.mjs).

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { Problems } from "./problems.mjs";

// The compiler that this package is built with has no stable interface for programs; jsii brings
// one that has.
const require = createRequire(import.meta.url);
const ts = createRequire(require.resolve("jsii/package.json"))("typescript");

const PAGE = "docs/api/typescript-only.md";

const COLUMNS = 100;

const ENTRIES = [
  ["cdktf-iam-tokens", "dist/index.d.ts"],
  ["cdktf-iam-tokens/testing", "dist/testing/index.d.ts"],
];

/** Compares the report with what dist declares, or rewrites it. */
export function checkApiReport(root, update) {
  const path = join(root, PAGE);
  const { names, text } = apiReport(root);
  if (update) {
    writeFileSync(path, text);
  } else if (read(path) !== text) {
    throw new Problems(
      `${PAGE} is not what dist declares. See what has changed with: npm run docs && git diff docs/api`,
    );
  }
  return `${names} names`;
}

function apiReport(root) {
  const reference = read(join(root, "docs/api/typescript.md"));
  const documented = new Set([...reference.matchAll(/^### (\w+)/gm)].map(([, name]) => name));
  const lines = [
    "# API for TypeScript and JavaScript alone",
    "",
    "These names are in no other language; [typescript.md](typescript.md) has all others.",
    "Your editor displays the descriptions, with defaults, units and error codes.",
    "",
    "<!-- Made from the package's declarations by `npm run docs`; `npm test -- packaging` fails when it is out of date. -->",
  ];
  let names = 0;
  for (const [name, entry] of ENTRIES) {
    const { exported, reached } = declarationsOf(root, entry, documented);
    names += exported.length;
    lines.push("", `## \`${name}\``);
    for (const [symbol, text] of exported)
      lines.push("", `### ${symbol}`, "", "```ts", text, "```");
    if (reached.length === 0) continue;
    lines.push("", `### Named by these types, but not exported by \`${name}\``);
    for (const [, text] of reached) lines.push("", "```ts", text, "```");
  }
  return { text: `${lines.join("\n")}\n`, names };
}

/**
 * The exported declarations of an entry, and those of the package that they name without exporting
 * them; sorted by name, without those that are documented elsewhere.
 */
function declarationsOf(root, entry, documented) {
  const program = ts.createProgram([join(root, entry)], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    strict: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  const source = program.getSourceFile(join(root, entry));
  const resolved = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const ours = (declaration) =>
    !relative(join(root, "dist"), declaration.getSourceFile().fileName).startsWith("..");

  const exported = new Map();
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source)))
    if (!documented.has(symbol.name)) exported.set(resolved(symbol), symbol.name);
  const texts = new Map();
  const waiting = [...exported.keys()];
  for (let symbol = waiting.pop(); symbol !== undefined; symbol = waiting.pop()) {
    if (texts.has(symbol)) continue;
    const declarations = (symbol.declarations ?? []).filter(ours).map(statementOf);
    texts.set(
      symbol,
      declarations
        .map((node) =>
          inColumns(printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())),
        )
        .join("\n"),
    );
    for (const declaration of declarations) visit(declaration);
  }

  /** Follows every name in a declaration to the declaration that it means. */
  function visit(node) {
    if (isPrivate(node)) return;
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const meant = symbol === undefined ? undefined : resolved(symbol);
      if (
        !documented.has(meant?.name) &&
        meant?.declarations?.some(
          (declaration) => ours(declaration) && ts.isSourceFile(statementOf(declaration).parent),
        )
      )
        waiting.push(meant);
    }
    ts.forEachChild(node, visit);
  }

  const list = (wanted) =>
    [...texts]
      .filter(([symbol, text]) => exported.has(symbol) === wanted && text !== "")
      .map(([symbol, text]) => [exported.get(symbol) ?? symbol.name, withoutPrivate(text)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return { exported: list(true), reached: list(false) };
}

/**
 * The whole statement of a declaration: of a variable, with the `const` before it. Members belong
 * to their class.
 */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function isPrivate(node) {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}

/** No line that has to be scrolled: a long one goes on below, at an alternative or a parameter. */
function inColumns(text) {
  return text
    .split("\n")
    .map((line) => {
      if (line.length <= COLUMNS) return line;
      const indent = `${/^ */.exec(line)[0]}    `;
      const parts = line.split(/(?<=[ (])(?=\| )|(?<=\(|, )/);
      const lines = [parts.shift()];
      for (const part of parts) {
        if (`${lines.at(-1)}${part}`.trimEnd().length > COLUMNS) lines.push(indent + part);
        else lines.push(lines.pop() + part);
      }
      return lines.map((each) => each.trimEnd()).join("\n");
    })
    .join("\n");
}

/** Private members are in declarations by name only, and are nobody's to use. */
function withoutPrivate(text) {
  return text.replaceAll(/^\s+(?:private .*|#private;)\n/gm, "");
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
