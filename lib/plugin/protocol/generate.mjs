// Makes tfplugin6.generated.ts from tfplugin6.proto: an interface and a table of fields for each
// message.
//   node lib/plugin/protocol/generate.mjs           writes the file
//   node lib/plugin/protocol/generate.mjs --check   exits 1 when the file is out of date
//
// Why our own: the schema needs a tenth of proto3, the tables load in under a millisecond (that
// time is paid at every launch of the provider), and no compiler has to be downloaded to build this
// package. What it does not know it refuses.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("tfplugin6.proto", import.meta.url));
const target = fileURLToPath(new URL("tfplugin6.generated.ts", import.meta.url));

const SCALARS = {
  string: ["string", '"string"'],
  bytes: ["Uint8Array", '"bytes"'],
  bool: ["boolean", '"bool"'],
  int32: ["number", '"integer"'],
  int64: ["number", '"integer"'],
};

/** @param {string} text */
function parse(text) {
  const declarations = [];
  let open;
  let comment = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    const start = /^(message|enum) (\w+) \{$/.exec(line);
    const value = /^(\w+) = (\d+);$/.exec(line);
    const field = /^(?:(optional|repeated) )?(?:map<string, (\w+)>|(\w+)) (\w+) = (\d+);$/.exec(
      line,
    );
    if (line.startsWith("//")) comment.push(line.slice(2).trim());
    else if (line === "" || /^(syntax|package) /.test(line)) comment = [];
    else if (start && !open) {
      open = { what: start[1], name: start[2], comment, members: [] };
      declarations.push(open);
      comment = [];
    } else if (line === "}" && open) open = undefined;
    else if (open?.what === "enum" && value)
      open.members.push({ name: value[1], number: Number(value[2]) });
    else if (open?.what === "message" && field) {
      const [, label, mapValue, plain, name, number] = field;
      open.members.push({
        label,
        map: mapValue !== undefined,
        type: mapValue ?? plain,
        name,
        number: Number(number),
      });
    } else throw new Error(`tfplugin6.proto:${index + 1}: not understood: ${line}`);
  }
  return declarations;
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const doc = (comment) => (comment.length === 0 ? "" : `/** ${comment.join(" ")} */\n`);

function emit(declarations) {
  const known = new Map();
  const parts = [
    "// Made by lib/plugin/protocol/generate.mjs from tfplugin6.proto. Change that file and generate again.",
    'import { MessageType } from "./message-type";\n',
  ];
  for (const { what, name, comment, members } of declarations) {
    if (known.has(name)) throw new Error(`${name} is declared twice`);
    known.set(name, what);
    if (what === "enum") {
      const values = members.map((member) => `  ${member.name}: ${member.number},\n`).join("");
      parts.push(`${doc(comment)}export const ${name} = {\n${values}} as const;\n`);
      continue;
    }
    const properties = [];
    const fields = [];
    const numbers = new Set();
    for (const member of members) {
      const declared = known.get(member.type);
      if (!SCALARS[member.type] && (!declared || member.type === name))
        throw new Error(`${name}.${member.name}: declare ${member.type} before it is used`);
      if (numbers.has(member.number))
        throw new Error(`${name}: the number ${member.number} is used twice`);
      numbers.add(member.number);
      const isMessage = declared === "message";
      if (member.label === "repeated" && !isMessage)
        throw new Error(`${name}.${member.name}: repeated scalars are not supported`);
      const [tsType, kind] =
        SCALARS[member.type] ?? (isMessage ? [member.type, member.type] : ["number", '"integer"']);
      const rule = member.map
        ? "map"
        : member.label === "repeated"
          ? "many"
          : isMessage || member.label === "optional"
            ? "optional"
            : "one";
      const property = camelCase(member.name);
      const type =
        rule === "map"
          ? `Readonly<Record<string, ${tsType}>>`
          : rule === "many"
            ? `readonly ${tsType}[]`
            : tsType;
      properties.push(
        `  readonly ${property}${rule === "optional" ? "?: " : ": "}${type}${rule === "optional" ? " | undefined" : ""};\n`,
      );
      fields.push(`  [${member.number}, "${property}", ${kind}, "${rule}"],\n`);
    }
    parts.push(`${doc(comment)}export interface ${name} {\n${properties.join("")}}\n`);
    parts.push(
      `export const ${name} = new MessageType<${name}>("${name}", [\n${fields.join("")}]);\n`,
    );
  }
  return parts.join("\n");
}

const text = emit(parse(readFileSync(source, "utf8")));
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== text) {
    console.error(
      "tfplugin6.generated.ts is not what tfplugin6.proto makes: run node lib/plugin/protocol/generate.mjs",
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, text);
}
