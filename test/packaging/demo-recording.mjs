// The recording of `npm run demo` that README.md shows: an animated picture, made of what the demo
// prints. Times, ports and versions are left out: every machine makes the same picture.
//
//   npm run record             plays the demo, and writes docs/demo.svg; needs Terraform
//   … demo-recording.mjs -     fails when docs/demo.svg is not that of the demo on standard input

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

const LINE = 19;
const WIDTH = 800;
const MARGIN = 20;
/** Seconds: of a step, between other lines, and for a look at the end. */
const STEP = 1.4;
const NEXT = 0.12;
const REST = 7;

/** The output of the demo, without the parts that differ between runs. */
function sameEverywhere(printed) {
  return printed
    .replaceAll(/ +\d+\.\d s$/gm, "")
    .replace(/\n *All of it in .*\n/, "\n")
    .replace(/(Terraform|OpenTofu) v[\d.]+.*/, "Terraform")
    .replace(/(identity service +http:\/\/127\.0\.0\.1):\d+/, "$1:35357")
    .replace(/(product API +http:\/\/127\.0\.0\.1):\d+/, "$1:8080")
    .replace(/(ci_expires_at = )\S+/, "$12026-03-02T00:00:00Z")
    .trim()
    .split("\n");
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The words of a line that have a colour. */
const coloured = (text) =>
  escaped(text)
    .replace(/^( *)✔/, '$1<tspan class="good">✔</tspan>')
    .replace(/\bYES\b/, '<tspan class="mind">YES</tspan>')
    .replace(/ (200)$/, ' <tspan class="good">$1</tspan>');

/** The picture of what the demo has printed. */
function recording(printed) {
  const lines = ["$ npm run demo", "", ...sameEverywhere(printed)];
  let at = 0.6;
  const starts = lines.map((line) => {
    at += /^ *✔/.test(line) ? STEP : NEXT;
    return at;
  });
  const whole = at + REST;
  const height = lines.length * LINE + 2 * MARGIN;
  const percent = (seconds) => ((100 * seconds) / whole).toFixed(2);
  const shown = lines.flatMap((line, index) => {
    if (line === "") return [];
    const kind = line.startsWith(" ") ? "" : line.startsWith("$") ? " prompt" : " title";
    const y = MARGIN + (index + 0.75) * LINE;
    return [
      {
        text: `<text class="l${index}${kind}" x="${MARGIN}" y="${y}">${coloured(line)}</text>`,
        frames: `@keyframes k${index}{0%,${percent(starts[index])}%{opacity:0}${percent(starts[index] + 0.05)}%,100%{opacity:1}}
.l${index}{animation:k${index} ${whole.toFixed(1)}s step-end infinite}`,
      },
    ];
  });
  // Without animation, as somebody may wish, all lines are there.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" xml:space="preserve" role="img" aria-labelledby="t">
<title id="t">npm run demo: a stack is deployed, and each secret is searched for in everything that the run wrote</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9}
.title{font-weight:700;fill:#f0f6fc}
.prompt{fill:#79c0ff}
.good{fill:#56d364}
.mind{fill:#e3b341;font-weight:700}
@media (prefers-reduced-motion:no-preference){
${shown.map(({ frames }) => frames).join("\n")}
}
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>
${shown.map(({ text }) => text).join("\n")}
</svg>
`;
}

/** Plays the demo. @returns what it prints */
function play() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "examples/demo/main.ts"],
    { cwd: root, encoding: "utf8", env: { ...process.env, TSX_DISABLE_CACHE: "1" } },
  );
  if (status !== 0) throw new Error(`The demo ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const path = join(root, "docs/demo.svg");
if (process.argv[2] !== "-") writeFileSync(path, recording(play()));
else if (readFileSync(path, "utf8") !== recording(readFileSync(0, "utf8"))) {
  console.error("docs/demo.svg is not what the demo prints. Run npm run record.");
  process.exitCode = 1;
}
