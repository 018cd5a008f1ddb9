import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { blocksOf, PAGES, type PageBlock, readPage } from "../support/pages";
import { packageRoot } from "../support/project";
import { describeIf } from "../support/skips";
import { hasTerraform, noTerraform, terraformBinary } from "../support/terraform";

/**
 * The tests that run or compile the blocks of a page, by its language. They read the page: its code
 * is the code that was tried.
 */
const TRIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { ts: "scenarios/page-code", sh: "programs/cdktf/readme" },
  "docs/credentials.md": { yaml: "provider/credentials/tokens-of-a-cloud" },
  "docs/errors.md": { ts: "scenarios/page-code" },
  "docs/guard-rails.md": { ts: "scenarios/page-code" },
  "docs/languages.md": { python: "languages/python" },
  "docs/plain-hcl.md": { hcl: "scenarios/plain-hcl-page" },
  "docs/rotation.md": { ts: "scenarios/page-code" },
  "docs/signing-in.md": { ts: "scenarios/page-code", hcl: "scenarios/signing-in-page" },
  "docs/synth.md": { ts: "scenarios/page-code" },
  "docs/terrain.md": {
    js: "programs/terrain/migration",
    json: "programs/terrain/migration",
  },
  "docs/testing.md": { ts: "scenarios/page-blocks" },
  "docs/using-tokens.md": { ts: "scenarios/page-code" },
};

/** The tests of the programs that docs/languages.md links to. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "main.py": "languages/python",
  "test_stack.py": "languages/python",
  "go.mod": "languages/go",
  "main.go": "languages/go",
  "pom.xml": "languages/java",
  "Main.java": "languages/java",
};

/** The kind of each block of `text`: an output, or a drawing. */
const TEXTS: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "a drawing",
  "docs/doctor.md": "the output of doctor",
  "docs/rotating-resources.md": "a warning of a plan",
  "docs/rotation.md": "an inequality",
  "docs/run.md": "the summary of run",
  "docs/speed.md": "a drawing",
};

const EXAMPLE = /^examples\/([\w-]+)\/README\.md$/;

/** The shell of a page: its commands are not run here, but must be a valid script. */
function problemOfShell({ text }: PageBlock): string | undefined {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  return status === 0 ? undefined : stderr;
}

/** By Terraform's own parser; and written as its formatter writes it. */
function problemOfHcl({ text }: PageBlock): string | undefined {
  const { status, stdout, stderr } = spawnSync(terraformBinary(), ["fmt", "-no-color", "-"], {
    input: text,
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
  if (status !== 0) return stderr;
  return stdout === text ? undefined : `formatted it is:\n${stdout}`;
}

function problemOfData({ language, text }: PageBlock): string | undefined {
  try {
    if (language === "json") JSON.parse(text);
    else parse(text, { strict: true, uniqueKeys: true });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const PARSERS: Readonly<Record<string, (block: PageBlock) => string | undefined>> = {
  sh: problemOfShell,
  hcl: problemOfHcl,
  json: problemOfData,
  yaml: problemOfData,
};

/** The problem of a block, or that no test covers it. */
function problemOf(block: PageBlock): string | undefined {
  const { page, language } = block;
  if (language === "text")
    return EXAMPLE.test(page) || TEXTS[page] !== undefined ? undefined : "nobody says what it is";
  // As it is a file of the example (see below), whoever runs that one tries it.
  if (language === "ts" && EXAMPLE.test(page)) return undefined;
  const problem = PARSERS[language]?.(block);
  if (problem !== undefined) return problem;
  const known = PARSERS[language] ?? TRIED[page]?.[language];
  return known === undefined ? "no test runs, compiles or parses it" : undefined;
}

const BLOCKS = PAGES.flatMap((page) => blocksOf(page));

describeIf(hasTerraform(), noTerraform())("the blocks of the pages", () => {
  test("are run, compiled or parsed, each of them", () => {
    expect(BLOCKS.length).toBeGreaterThan(80);
    const problems = BLOCKS.map((block) => ({ block, problem: problemOf(block) }));
    expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  test.each(
    Object.entries(TRIED).flatMap(([page, languages]) =>
      Object.entries(languages).map(([language, file]) => ({ page, language, file })),
    ),
  )("$file reads the $language of $page", ({ page, language, file }) => {
    expect(blocksOf(page, language)).not.toEqual([]);
    expect(readPage(`test/${file}.test.ts`)).toContain(page.replace("docs/", ""));
  });

  test("of text still exist", () => {
    for (const page of Object.keys(TEXTS)) expect(blocksOf(page, "text")).not.toEqual([]);
  });

  test("and the programs in other languages: a test reads each, and the page links to it", () => {
    const names = readdirSync(join(packageRoot, "docs/languages"));
    expect(names.sort()).toEqual(Object.keys(PROGRAMS).sort());
    for (const [name, file] of Object.entries(PROGRAMS)) {
      expect(readPage("docs/languages.md")).toContain(`(languages/${name})`);
      expect(readPage(`test/${file}.test.ts`)).toContain(`program(framework, "${name}")`);
    }
  });

  test("of docs/testing.md are those of examples/jest, which is run as it is", () => {
    const tried = ["my-stack.test.ts", "faults.test.ts"];
    const blocks = blocksOf("docs/testing.md", "ts");
    expect(blocks).toHaveLength(tried.length);
    for (const [index, { text }] of blocks.entries()) {
      const file = readPage(`examples/jest/${tried[index]}`);
      const lines = text.split("\n").filter((line) => !/^(\/\/.*)?$/.test(line));
      expect(lines.filter((line) => !file.includes(`  ${line}\n`))).toEqual([]);
      expect(lines.length).toBeGreaterThan(4);
    }
  });

  test("of an example's page are its command and what it prints, or files of the example", () => {
    const others = BLOCKS.filter(({ page }) => EXAMPLE.test(page)).filter(
      ({ language }) => language !== "sh" && language !== "text",
    );
    const unlike = others.filter(({ page, text }) => !filesOf(page).some((file) => file === text));
    expect(unlike).toEqual([]);
  });
});

/** The texts of the files that a page of an example links to. */
function filesOf(page: string): readonly string[] {
  const folder = page.replace("/README.md", "");
  return [...readPage(page).matchAll(/\]\((?!\.\.|https?:|#)([^)#]+)\)/g)]
    .map(([, file = ""]) => `${folder}/${file}`)
    .filter((file) => /\.\w+$/.test(file) && existsSync(join(packageRoot, file)))
    .map(readPage);
}
