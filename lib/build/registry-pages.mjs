// The provider's pages in the layout of Terraform's and OpenTofu's registries: of each object, from
// its schema and an example that is tried. The index links the other pages.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { REGISTRY_SOURCE, REPOSITORY } from "./names.mjs";

const EXAMPLES = join(import.meta.dirname, "registry-examples");

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
    ...(path === "index" ? [`Guides: ${REPOSITORY}/tree/main/docs`] : []),
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

const front = (title, description) => [
  `---\npage_title: ${JSON.stringify(title)}\nsubcategory: ""\ndescription: |-\n  ${description}\n---`,
];
