import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasGo } from "../support/go-build";
import { packageRoot } from "../support/project";
import { hasPython } from "../support/python";
import { testIf } from "../support/skips";
import { program } from "./page";

const packed = join(packageRoot, "packed");
const FRAMEWORKS = ["cdktf", "cdktn"] as const;

/** Lines that are TypeScript's and no other language's. */
const TYPESCRIPT = /^\s*(const|let) \w+ =|=> \{|\bnew \w+\(this, "\w+", \{/m;

const OF_CDKTF =
  /(?<!npm\.invalid\/|github\.com\/(?:cdktf-iam-tokens\/)?)\bcdktf\b(?!\.json|\.out|-iam-tokens( authors|\.git))/;
/** A line that describes the difference. */
const BOTH = /cdktf.*cdktn|cdktn.*cdktf/;

/** Reads a wheel: its page, and the examples of its docstrings, each as ast.parse takes it. */
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
        example = textwrap.dedent("\\n".join(lines[:end]))
        ast.parse(example)
        examples.append(example)
print(json.dumps({"page": page, "module": module, "examples": examples}))
`;

const READ_SOURCES = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as jar:
    print("".join(jar.read(n).decode() for n in jar.namelist() if n.endswith(".java")))
`;

const isPacked = existsSync(join(packed, "python")) && existsSync(join(packed, "go"));
const inPython = testIf(hasPython() && isPacked, "no Python, or nothing is packed");
const inGo = testIf(hasGo() && isPacked, "no Go, or nothing is packed");
const maven = join(packed, "java/io/github/cdktf-iam-tokens");
const inJava = testIf(hasPython() && existsSync(maven), "no Maven, or nothing is packed");

describe.each(FRAMEWORKS)("%s-iam-tokens: examples", (framework) => {
  inPython("in Python are Python, and its page prints the program that is tested", () => {
    const [wheel = ""] = readdirSync(join(packed, "python")).filter((name) =>
      name.startsWith(`${framework}_`),
    );
    const { status, stdout, stderr } = spawnSync(
      "python3",
      ["-c", READ_WHEEL, join(packed, "python", wheel)],
      { encoding: "utf8", maxBuffer: 1 << 26 },
    );
    expect([status, stderr]).toEqual([0, ""]);
    const { page, module, examples } = JSON.parse(stdout) as {
      page: string;
      module: string;
      examples: string[];
    };
    expect(page).toContain(program(framework, "main.py"));
    // The names of the other framework, but for what both have: address, files, repository.
    const [other, title] = { cdktf: [/\bcdktn/, "CDK Terrain"], cdktn: [OF_CDKTF, "CDK for T"] }[
      framework
    ] as [RegExp, string];
    expect(page).not.toContain(title);
    const lines = `${page}\n${module}`.split("\n");
    expect(lines.filter((line) => other.test(line) && !BOTH.test(line))).toEqual([]);
    expect(examples.length).toBeGreaterThan(15);
    for (const example of examples) expect(example).not.toMatch(TYPESCRIPT);
    expect(examples.join("\n")).toContain('TokenScope.project("web")');
  });

  inGo("in Go are Go, and its page prints the program that is tested", () => {
    const folder = join(packed, `go/${framework}-iam-tokens-go/iamtokens`);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(
      program(framework, "main.go"),
    );
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith(".go"))
      .map((name) => readFileSync(join(folder, name), "utf8"));
    const examples = texts.flatMap((text) =>
      [...text.matchAll(/\/\/ Example:\n((?:[\t ]*\/\/ {3}.*\n)+)/g)].map(([, lines = ""]) =>
        lines.replaceAll(/^[\t ]*\/\/ {3}/gm, ""),
      ),
    );
    expect(examples.length).toBeGreaterThan(15);
    for (const example of examples) expect(example).not.toMatch(TYPESCRIPT);
    expect(examples.join("\n")).toContain('iamtokens.TokenScope_Project(jsii.String("web"))');
  });

  inJava("in Java are Java", () => {
    const folder = join(maven, `${framework}-iam-tokens`);
    const [version = ""] = readdirSync(folder).filter((name) => /^\d/.test(name));
    const jar = join(folder, version, `${framework}-iam-tokens-${version}-sources.jar`);
    const { stdout } = spawnSync("python3", ["-c", READ_SOURCES, jar], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    const examples = [...stdout.matchAll(/Example:\n \* <p>\n[\s\S]*?<pre>\n([\s\S]*?)<\/pre>/g)];
    expect(examples.length).toBeGreaterThan(5);
    for (const [, example = ""] of examples) expect(example).not.toMatch(TYPESCRIPT);
    expect(stdout).toContain('.scope(TokenScope.project("web"))');
  });
});
