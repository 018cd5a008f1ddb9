import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import type { Framework } from "../support/terrain";

const packed = join(packageRoot, "packed");

const READ_WHEEL = `
import ast, json, sys, textwrap, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = wheel.namelist()
    text = lambda end: wheel.read(next(n for n in names if n.endswith(end))).decode()
    page, module = text("/METADATA"), text("_iam_tokens/__init__.py")
examples = []
for node in ast.walk(ast.parse(module)):
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef)): continue
    docs = ast.get_docstring(node) or ""
    for part in docs.split("Example::\\n")[1:]:
        lines = part.split("\\n")
        end = next((i for i, l in enumerate(lines) if l and not l.startswith("    ")), len(lines))
        examples.append(textwrap.dedent("\\n".join(lines[:end])).strip())
print(json.dumps({"page": page, "module": module, "examples": examples}))
`;

const READ_SOURCES = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as jar:
    print("".join(jar.read(n).decode() for n in jar.namelist() if n.endswith(".java")))
`;

/** What a packed package prints: the page for its registry, and its docstrings' examples. */
export interface Printed {
  readonly page: string;
  /** The sources. */
  readonly module: string;
  readonly examples: readonly string[];
}

export function inPython(framework: Framework): Printed {
  const wheel = named(join(packed, "python"), (name) => name.startsWith(`${framework}_`));
  const { examples, ...rest } = JSON.parse(python(READ_WHEEL, wheel)) as Printed;
  return { ...rest, examples: once(examples) };
}

export function inGo(framework: Framework): Printed {
  const folder = join(packed, `go/${framework}-iam-tokens-go/iamtokens`);
  const module = readdirSync(folder)
    .filter((name) => name.endsWith(".go"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
  const found = module.matchAll(/\/\/ Example:\n((?:[\t ]*\/\/ {3}.*\n)+)/g);
  const examples = [...found].map(([, lines = ""]) => lines.replaceAll(/^[\t ]*\/\/ {3}/gm, ""));
  const page = readFileSync(join(folder, "README.md"), "utf8");
  return { page, module, examples: once(examples) };
}

/** Its page would be in its archive of documentation. */
export function inJava(framework: Framework): Omit<Printed, "page"> {
  const home = join(packed, "java/io/github/cdktf-iam-tokens", `${framework}-iam-tokens`);
  const version = named(home, (name) => /^\d/.test(name));
  const jar = named(version, (name) => name.endsWith("-sources.jar"));
  const module = python(READ_SOURCES, jar);
  const found = module.matchAll(/Example:\n \* <p>\n[\s\S]*?<pre>\n([\s\S]*?)<\/pre>/g);
  const examples = [...found].map(([, text = ""]) => text);
  return { module, examples: once(examples) };
}

/** A member that a class takes from an interface prints its example again. */
const once = (examples: readonly string[]) => [...new Set(examples)];

function named(folder: string, isMeant: (name: string) => boolean): string {
  return join(folder, readdirSync(folder).find(isMeant) ?? "");
}

function python(script: string, path: string): string {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", script, path], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
