import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasGo } from "../support/go-build";
import { packageRoot } from "../support/project";
import { hasPython } from "../support/python";
import { testIf } from "../support/skips";
import { inGo, inJava, inPython } from "./docstrings";
import { program } from "./page";

const packed = join(packageRoot, "packed");
const FRAMEWORKS = ["cdktf", "cdktn"] as const;

/** Lines that are TypeScript's and no other language's. */
const TYPESCRIPT = /^\s*(const|let) \w+ =|=> \{|\bnew \w+\(this, "\w+", \{/m;

const OF_CDKTF =
  /(?<!npm\.invalid\/|github\.com\/(?:cdktf-iam-tokens\/)?)\bcdktf\b(?!\.json|\.out|-iam-tokens( authors|\.git))/;
/** A line that describes the difference. */
const BOTH = /cdktf.*cdktn|cdktn.*cdktf/;

const isPacked = existsSync(join(packed, "python")) && existsSync(join(packed, "go"));
const withPython = testIf(hasPython() && isPacked, "no Python, or nothing is packed");
const withGo = testIf(hasGo() && isPacked, "no Go, or nothing is packed");
const maven = join(packed, "java/io/github/cdktf-iam-tokens");
const withJava = testIf(hasPython() && existsSync(maven), "no Maven, or nothing is packed");

describe.each(FRAMEWORKS)("%s-iam-tokens: examples", (framework) => {
  withPython("in Python are Python, and its page prints the program that is tested", () => {
    const { page, module, examples } = inPython(framework);
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

  withGo("in Go are Go, and its page prints the program that is tested", () => {
    const { page, examples } = inGo(framework);
    expect(page).toContain(program(framework, "main.go"));
    for (const example of examples) expect(example).not.toMatch(TYPESCRIPT);
  });

  withJava("in Java are Java", () => {
    const { module, examples } = inJava(framework);
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) expect(example).not.toMatch(TYPESCRIPT);
    expect(module).toContain('.scope(TokenScope.project("web"))');
  });
});
