/**
 * llms.txt, the index of all pages for search engines and assistants: each page's question and the
 * first sentence of its answer, in the order of docs/README.md. `node test/packaging/llms.mjs`
 * fails when it is stale; `--update` renews it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

const at = (path) => new URL(`../../${path}`, import.meta.url);
const read = (path) => readFileSync(at(path), "utf8");

/** The first heading of a page, and the line below it that is neither table, list nor markup. */
function described(path) {
  const [, title, rest] = /^# (.+)\n([\s\S]*)/m.exec(read(path).replace(/^<[\s\S]*?>\n/, ""));
  const line = rest.split("\n").find((each) => /^(?!```)[A-Z`*]/.test(each)) ?? "";
  // A reference has no answer: its first line is that of its first name.
  const answer = path.startsWith("docs/api/") ? "" : line;
  const plain = answer.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/:$/, ".");
  return `- [${title}](${path})${plain === "" ? "" : `: ${plain}`}`;
}

/**
 * The pages that a page links, once each, by the headings above them; first, what only its head
 * links.
 */
function sections(index) {
  const seen = new Set(["README.md", index]);
  const [head, ...rest] = read(index).replace(/^# .*/, "Start").split(/^## /m);
  const found = [...rest, head]
    .map((section) => {
      const links = [...section.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) =>
        posix.join(posix.dirname(index), /\.md$/.test(target) ? target : `${target}/README.md`),
      );
      const fresh = links.filter((path, place) => !seen.has(path) && links.indexOf(path) === place);
      for (const path of fresh) seen.add(path);
      return { title: section.split("\n")[0], pages: fresh.filter(exists) };
    })
    .filter(({ pages }) => pages.length > 0);
  return [...found.slice(-1), ...found.slice(0, -1)];
}

function exists(path) {
  try {
    return read(path) !== "";
  } catch {
    return false;
  }
}

const { name, description } = JSON.parse(read("package.json"));
const text = [
  `# ${name}`,
  `> ${description}`,
  "`cdktn-iam-tokens` is the same for CDK Terrain. Languages: TypeScript, Python, Go, Java, C#, and plain HCL.",
  ...sections("docs/README.md"),
  { title: "Project", pages: ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CHANGELOG.md"] },
]
  .map((part) =>
    typeof part === "string"
      ? part
      : [`## ${part.title}`, "", ...part.pages.map(described)].join("\n"),
  )
  .join("\n\n");

if (process.argv.includes("--update")) writeFileSync(at("llms.txt"), `${text}\n`);
else if (!exists("llms.txt") || read("llms.txt") !== `${text}\n`) {
  console.error("llms.txt is not what the pages say: npm run docs");
  process.exit(1);
}
