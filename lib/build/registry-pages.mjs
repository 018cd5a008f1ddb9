// The provider's pages in the layout of Terraform's and OpenTofu's registries: of each object, from
// its schema and an example that is tried; and guides, from pages of docs.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { tsImport } from "tsx/esm/api";
import { REGISTRY_SOURCE, REPOSITORY } from "./names.mjs";
import { root } from "./project.mjs";

const EXAMPLES = join(import.meta.dirname, "registry-examples");

/** Pages that are guides; `from`, the chapter that is the first, where those before are about npm. */
const GUIDES = [
  { page: "plain-hcl", title: "A module, its child modules and its test", from: "## A module" },
  { page: "without-npm", title: "With CDKTF, in two jobs, from a mirror", from: "## In a program" },
  { page: "rotating-resources" },
  { page: "guard-rails" },
  { page: "leaked" },
];

/** Folder and title of each kind of object. */
const KINDS = {
  ephemeralResources: ["ephemeral-resources", "Ephemeral Resource"],
  dataSources: ["data-sources", "Data Source"],
  resources: ["resources", "Resource"],
};

/** Writes the pages into a folder `docs` below this one. */
export async function writeRegistryPages(folder) {
  const { createIamProvider } = await tsImport("../provider/iam-provider.ts", import.meta.url);
  const { schema, ...objects } = createIamProvider({
    processContext: { variables: {}, workingFolder: "/", attached: false },
  });
  const write = (path, text) => {
    const file = join(folder, "docs", `${path}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll("OWNER/iam", REGISTRY_SOURCE));
  };
  write("index", objectPage("index", "iam Provider", schema));
  for (const [kind, [place, title]] of Object.entries(KINDS))
    for (const [name, object] of Object.entries(objects[kind])) {
      const path = `${place}/${name.replace(/^iam_/, "")}`;
      write(path, objectPage(path, `${name} (${title})`, object.schema));
    }
  for (const guide of GUIDES) write(`guides/${guide.page}`, guidePage(guide));
}

function objectPage(path, title, { description, attributes }) {
  const all = Object.entries(attributes);
  const chapters = [
    ["Required", all.filter(([, each]) => each.required)],
    ["Optional", all.filter(([, each]) => each.optional)],
    ["Read-Only", all.filter(([, each]) => each.computed && !each.optional)],
  ];
  const example = readFileSync(join(EXAMPLES, `${path}.tf`), "utf8").trim();
  return [
    ...front(title.replace(/ \((.*)\)/, " $1 - iam"), description),
    `# ${title}`,
    coded(description),
    "## Example Usage",
    `\`\`\`terraform\n${example}\n\`\`\``,
    "## Schema",
    ...chapters
      .filter(([, members]) => members.length > 0)
      .flatMap(([heading, members]) => [
        `### ${heading}`,
        ...(path === "index" ? [NO_DEFAULT] : []),
        members.map(attributeLine).join("\n"),
      ]),
    "",
  ].join("\n\n");
}

const TYPES = { string: "String", number: "Number", bool: "Boolean" };
const COLLECTIONS = { list: "List", set: "Set", map: "Map" };
const typeOf = (type) =>
  typeof type === "string" ? TYPES[type] : `${COLLECTIONS[type[0]]} of ${typeOf(type[1])}`;

function attributeLine([name, { type, sensitive, writeOnly, description }]) {
  const words = [typeOf(type), sensitive && "Sensitive", writeOnly && "Write-only"];
  return `- \`${name}\` (${words.filter(Boolean).join(", ")}) ${coded(description)}`;
}

const NO_DEFAULT =
  "Of those without a default, give what one way of signing in needs: a user with a password, an application credential, or an identity provider with an identity token.";

/** Names of arguments, variables and headers, and values, as code. */
const coded = (text) =>
  text.replaceAll(/"[^"\n]+"|\b[A-Za-z]+(_[A-Za-z0-9]+)+\b|\bX-[A-Z][A-Za-z-]+\b/g, "`$&`");

function guidePage({ page, title, from = "" }) {
  const [, heading, text] = /^# (.*)\n([\s\S]*)$/.exec(
    readFileSync(join(root, `docs/${page}.md`), "utf8"),
  );
  const start = text.indexOf(from);
  if (start < 0) throw new Error(`docs/${page}.md has no chapter "${from}".`);
  const called = title ?? heading;
  const body = absolute(text.slice(start).trim())
    .replaceAll("npm.invalid/cdktf-iam-tokens/iam\n", `${REGISTRY_SOURCE}\n`)
    .replaceAll('"npm.invalid/cdktf-iam-tokens/iam"', `"${REGISTRY_SOURCE}"`);
  return [...front(called, called), `# ${called}`, body, ""].join("\n\n");
}

/** Links of a page of docs, for readers elsewhere; those to its own chapters stay. */
const absolute = (text) =>
  text.replaceAll(/\]\((?!\w+:)([^)#]+)(#[^)]*)?\)/g, (_, path, anchor = "") => {
    const target = posix.join("docs", path);
    if (!existsSync(join(root, target))) throw new Error(`There is no ${target} to link to.`);
    return `](${REPOSITORY}/blob/main/${target}${anchor})`;
  });

const front = (title, description) => [
  `---\npage_title: ${JSON.stringify(title)}\nsubcategory: ""\ndescription: |-\n  ${description}\n---`,
];
