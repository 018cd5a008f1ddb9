/**
 * The picture of README.md: where an ephemeral token goes, and where it does not. One file for
 * light and one for dark pages; `node test/packaging/token-picture.mjs` fails when one of them is
 * stale, `--update` renews them. Where a token works is what docs/using-tokens.md says.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const at = (path) => new URL(`../../${path}`, import.meta.url);

const USES = [
  ["provider block", "of another provider"],
  ["provisioner", "in its environment"],
  ["write-only argument", "of a secret store"],
];
const NEVER = ["plan", "state", "log"];

const THEMES = {
  "docs/where-a-token-goes.svg": {
    paper: "#ffffff",
    text: "#1f2328",
    note: "#59636e",
    box: "#f6f8fa",
    edge: "#d1d9e0",
    line: "#818b98",
    token: "#0969da",
    onToken: "#ffffff",
    never: "#cf222e",
  },
  "docs/where-a-token-goes-dark.svg": {
    paper: "#0d1117",
    text: "#f0f6fc",
    note: "#9198a1",
    box: "#151b23",
    edge: "#3d444d",
    line: "#656c76",
    token: "#4493f8",
    onToken: "#0d1117",
    never: "#f85149",
  },
};

/** The picture says what docs/using-tokens.md says of an ephemeral token. */
function checkUses() {
  const page = readFileSync(at("docs/using-tokens.md"), "utf8");
  for (const [use] of USES)
    if (!page.includes(`| ${use} | works |`))
      throw new Error(`docs/using-tokens.md does not say that an ephemeral token works in: ${use}`);
}

const label = (kind, x, y, content) =>
  `<text class="${kind}" x="${x}" y="${y}" text-anchor="middle">${content}</text>`;

/** A box with a title and, below it, a note. */
function box(x, y, width, height, title, note) {
  const [middle, centre] = [x + width / 2, y + height / 2];
  return [
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    label("title", middle, note === undefined ? centre + 5 : centre - 4, title),
    ...(note === undefined ? [] : [label("note", middle, centre + 16, note)]),
  ].join("\n");
}

/** A line, by the rest of its path, with a head at its end. */
const arrow = (kind, path) => `<path class="${kind}" d="${path}" marker-end="url(#${kind})"/>`;

/** Label of a line. */
const pill = (x, y) =>
  `<rect class="pill" x="${x - 27}" y="${y - 11}" width="54" height="22" rx="11"/>\n` +
  label("on-pill", x, y + 4, "token");

const cross = (x, y) =>
  `<path class="cross" d="M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12"/>`;

const head = (kind) =>
  `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" ` +
  `markerUnits="userSpaceOnUse" orient="auto"><path class="head-${kind}" d="M0 0L8 4L0 8z"/></marker>`;

function picture(theme) {
  const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: ${theme.text}; }
.title { font-size: 13px; font-weight: 600; }
.note { font-size: 12px; fill: ${theme.note}; }
.box { fill: ${theme.box}; stroke: ${theme.edge}; stroke-width: 1.5; }
.inner { fill: ${theme.paper}; stroke: ${theme.token}; stroke-width: 1.5; }
.line, .carries, .never { fill: none; stroke-width: 1.5; }
.line, .never { stroke: ${theme.line}; }
.never { stroke-dasharray: 4 4; }
.carries { stroke: ${theme.token}; stroke-width: 2; }
.head-line { fill: ${theme.line}; }
.head-carries { fill: ${theme.token}; }
.cross { stroke: ${theme.never}; stroke-width: 2.5; stroke-linecap: round; fill: none; }
.pill { fill: ${theme.token}; }
.on-pill { font-size: 12px; font-weight: 600; fill: ${theme.onToken}; }`;
  const never = NEVER.map((name, index) => {
    const x = 16 + index * 84;
    return [
      `<path class="never" d="M${x + 36} 192V258"/>`,
      cross(x + 36, 224),
      box(x, 258, 72, 56, name),
    ].join("\n");
  });
  const uses = USES.map(([name, note], index) => {
    const x = 280 + index * 171;
    return [arrow("carries", `M${x + 81} 224V256`), box(x, 258, 162, 56, name, note)].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 356" width="800" height="356" role="img" aria-labelledby="t d">
<title id="t">Where a token goes</title>
<desc id="d">Your program writes a declaration without the token to cdk.tf.json. Terraform runs the provider of this package, which gets the token from the identity service. The token goes to a ${USES.map(([name]) => name).join(", a ")}; it goes to no ${NEVER.join(", ")}.</desc>
<style>${style}
</style>
<defs>${head("line")}${head("carries")}</defs>
<rect width="800" height="356" fill="${theme.paper}"/>
${box(16, 48, 132, 92, "Your program", "declares a token")}
${arrow("line", "M148 94H186")}
${box(188, 48, 148, 92, "cdk.tf.json", "has no token")}
${arrow("line", "M336 94H374")}
<rect class="box" x="376" y="24" width="176" height="140" rx="8"/>
${label("title", 464, 50, "Terraform")}
<rect class="inner" x="390" y="66" width="148" height="78" rx="8"/>
${label("title", 464, 101, "the provider")}
${label("note", 464, 121, "of this package")}
${arrow("line", "M538 86H646")}
${label("note", 593, 79, "password")}
${arrow("carries", "M648 122H540")}
${pill(594, 122)}
${box(648, 48, 136, 92, "Identity service", "Keystone")}
<path class="never" d="M408 164V192H52"/>
<path class="carries" d="M488 164V224M360 224H704"/>
${pill(488, 194)}
${never.join("\n")}
${uses.join("\n")}
${label("note", 136, 338, "never written here")}
${label("note", 532, 338, "used here, while Terraform runs")}
</svg>
`;
}

checkUses();
const stale = Object.entries(THEMES)
  .map(([path, theme]) => ({ path, file: at(path), wanted: picture(theme) }))
  .filter(({ file, wanted }) => !existsSync(file) || readFileSync(file, "utf8") !== wanted);
for (const { path, file, wanted } of stale) {
  if (process.argv.includes("--update")) writeFileSync(file, wanted);
  else {
    console.error(`${path} is stale. Run npm run docs.`);
    process.exitCode = 1;
  }
}
