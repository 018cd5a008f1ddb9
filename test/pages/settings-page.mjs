// docs/api/reference.md: commands with their options, objects with their arguments, variables.

import { readdirSync } from "node:fs";
import { cell, code, from, lib, page, sourceOf, table } from "./tables.mjs";

/** The variables of this package, which the code reads here and there: what each does. */
const VARIABLES = {
  IAM_TOKENS_ALLOWED_AUTH_URLS:
    "Addresses to which passwords, tokens and identity tokens may be sent, separated by commas. By default any.",
  IAM_TOKENS_ALLOWED_COMMANDS:
    "Programs that may be run for a secret, separated by commas. By default any.",
  IAM_TOKENS_ALLOWED_STATIC_SOURCES:
    "Variables and absolute paths from which a static token may be read, separated by commas; `*` at the end stands for any rest. By default any.",
  IAM_TOKENS_COMMAND_STDERR:
    "`1` writes the standard error of a failed command for a secret to Terraform's log. By default it is dropped.",
  IAM_TOKENS_HANDOVER:
    "`0`: each launch of the provider is a server of its own. By default, on Linux, one server serves all launches of a Terraform.",
  IAM_TOKENS_SKIP_RESOLVE:
    "`1` or `true`: `resolveTokens` requests nothing. By default it requests the tokens with `synth`.",
};

/** Variables that other programs have as well. */
const OTHERS = {
  "HTTPS_PROXY, NO_PROXY":
    "The proxy for requests to the identity service; in lower case they win. Loopback never goes through one, and HTTP_PROXY has no effect.",
  NODE_EXTRA_CA_CERTS: "A PEM file with certificate authorities that are trusted in addition.",
  SSL_CERT_FILE: "The same, in addition to the public ones alone.",
  NODE_USE_SYSTEM_CA:
    "`1`, or `--use-system-ca` in NODE_OPTIONS: those of the operating system are trusted as well. Needs Node.js 22.15.",
  TERRAFORM_BINARY_NAME: "The Terraform of CDKTF and of `doctor`. By default `terraform`.",
  "TF_LOG, TF_LOG_PROVIDER":
    "The provider's log. While one is set, each launch is a server of its own.",
};

/** Set by this package for its own processes. */
const INTERNAL = /^IAM_TOKENS_(EXTRA_CA_CERTS|HOOK(_COMMAND|_NAME)?|SCHEMA|VERSION)$/;

/** What a command's help has no place for. */
const MORE = {
  issue: [
    "",
    "The credentials come from [one source](../credentials.md):",
    "",
    "```sh",
    "export OS_AUTH_URL=https://cloud.api.example.com OS_USER_DOMAIN_NAME=123456 OS_USERNAME=deployer",
    'OS_PASSWORD="$(cat /run/secrets/deployer)" npx --no-install cdktf-iam-tokens issue --project web --json',
    "```",
    "",
    "curl reads a header from its input, where `ps` does not see it; several commands share an exported token:",
    "",
    "```sh",
    "npx --no-install cdktf-iam-tokens issue --cloud prod --project web --header |",
    "  curl --fail -H @- https://api.example.com/servers",
    'export TOKEN="$(npx --no-install cdktf-iam-tokens issue --cloud prod --scope account)"',
    "```",
    "",
    "In a job of GitHub Actions, `issue` first prints `::add-mask::` with the token to standard error: the job's log hides it from then on.",
    "Elsewhere, nothing hides a token that a script prints, as `set -x` does.",
  ],
};

/** A command as Markdown; its exit codes are at the end of its help. */
function commandPart(called, description, options, help = "", more = []) {
  const [exitCode] = /\nExit code: [\s\S]+/.exec(help) ?? [];
  return [
    `### ${called}`,
    "",
    description,
    "",
    table(
      ["option", "effect"],
      options.map(([flags, meaning]) => [code(flags), cell(meaning)]),
    ),
    ...(exitCode ? ["", exitCode.trim().replaceAll(/\s*\n\s*/g, " ")] : []),
    ...more,
    "",
  ];
}

async function commandParts() {
  const { COMMANDS } = await from("cli/cli.ts");
  const parts = Object.entries(COMMANDS).flatMap(([name, { load }]) => {
    const { description, operand, options, help } = load();
    const all = operand ? [operand, ...options] : options;
    return commandPart(`cdktf-iam-tokens ${name}`, description, all, help(""), MORE[name]);
  });
  const { toCommand } = await from("testing/identity-server-command.ts");
  const server = toCommand({});
  const options = server.options.map(({ flags, description }) => [flags, description]);
  return [...parts, ...commandPart(server.name(), server.description(), options)];
}

const KINDS = ["required", "optional", "computed", "sensitive"];
const kindOf = (attribute) =>
  KINDS.filter((kind) => attribute[kind])
    .join(", ")
    .replace("computed", "attribute");

const typeOf = (type) => (typeof type === "string" ? type : `${type[0]} of ${typeOf(type[1])}s`);

async function objectParts() {
  const { createIamProvider } = await from("provider/iam-provider.ts");
  const { schema, resources, dataSources, ephemeralResources } = createIamProvider({
    processContext: { variables: {}, workingFolder: "/", attached: false },
  });
  const blocks = [
    ['provider "iam"', schema],
    ...Object.entries({
      ephemeral: ephemeralResources,
      data: dataSources,
      resource: resources,
    }).flatMap(([kind, objects]) =>
      Object.entries(objects).map(([name, object]) => [`${kind} "${name}"`, object.schema]),
    ),
  ];
  return blocks.flatMap(([title, { description, attributes }]) => [
    `### ${title}`,
    "",
    description,
    "",
    table(
      ["name", "type", "", "meaning"],
      Object.entries(attributes).map(([name, attribute]) => [
        code(name),
        typeOf(attribute.type),
        kindOf(attribute),
        cell(attribute.description),
      ]),
    ),
    "",
  ]);
}

/** @throws if the code reads a variable of ours that the page does not have */
function assertAllVariables() {
  const files = readdirSync(lib, { recursive: true }).filter((name) => /\.(ts|mjs)$/.test(name));
  const read = new Set(files.flatMap((name) => sourceOf(name).match(/IAM_TOKENS_[A-Z_]+/g) ?? []));
  const missing = [...read].filter((name) => !(name in VARIABLES) && !INTERNAL.test(name));
  const gone = Object.keys(VARIABLES).filter((name) => !read.has(name));
  if (missing.length + gone.length > 0)
    throw new Error(`docs/api/reference.md: without a text ${missing}; no longer read ${gone}`);
}

const commands = await commandParts();
const objects = await objectParts();

export function settingsPage() {
  assertAllVariables();
  const rows = (variables) =>
    Object.entries(variables).map(([name, meaning]) => [code(...name.split(", ")), cell(meaning)]);
  return page(
    "# Reference: commands, arguments, variables",
    "",
    "<!-- Made from the code by `npm run docs`. -->",
    "",
    "The package is [not in a registry yet](../../README.md#not-in-a-registry-yet).",
    "The properties of constructs are in [API.md](API.md), and the codes of errors in [errors.md](errors.md).",
    "",
    "## Commands",
    "",
    ...commands,
    "## Objects in HCL",
    "",
    ...objects,
    "## Environment variables",
    "",
    "The variables of the ways of signing in (`OS_…`) are in [ways.md](ways.md).",
    "",
    table(["variable", "meaning"], [...rows(VARIABLES), ...rows(OTHERS)]),
  );
}
