// The one table of the provider block's arguments: the schema, the check of each value, its path in
// diagnostics and the names of properties come from it. The next argument is one row of OPTIONS, or
// of a part in ways.ts.

import {
  isSecretArgument,
  PART_ROWS,
  type PartRow,
  placesOf,
  SECRET_ARGUMENTS,
  type SecretKind,
} from "./ways";

/** The kind of an argument's value. */
export type ArgumentKind =
  | PartRow["kind"]
  | SecretKind
  | "base address"
  | "cloud"
  | "duration"
  /** What the constructs say of themselves. */
  | "own";

/** The constructs' property for an argument of OPTIONS: `caFile`. */
export const propertyOf = (argument: string): string =>
  argument.replaceAll(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());

/** An argument of the provider block. */
interface ProviderArgument {
  readonly name: string;
  readonly kind: ArgumentKind;
  readonly description: string;
}

/** Arguments that do not belong to a way of signing in. */
export const OPTIONS = [
  {
    name: "cloud",
    kind: "cloud",
    description:
      "Entry of clouds.yaml that gives the credentials, overridden by secure.yaml; the provider searches the files in openstacksdk's order.",
  },
  {
    name: "clouds_folder",
    kind: "file",
    description:
      "First folder in which the provider looks for clouds.yaml and secure.yaml. Relative paths in them, in OS_CLIENT_CONFIG_FILE, " +
      "OS_CLIENT_SECURE_FILE, OS_CACERT, OS_CERT and OS_KEY start from it. By default Terraform's working folder.",
  },
  {
    name: "base_url",
    kind: "base address",
    description:
      "Base address of the product APIs: all destinations of this block's IAM tokens must be below it, in scheme, host, port and " +
      "path. By default any address is allowed.",
  },
  {
    name: "ca_file",
    kind: "file",
    description:
      "PEM file of the certificate authorities that may issue the identity service's certificate, instead of the public ones. By " +
      "default OS_CACERT, when the environment gives the credentials.",
  },
  {
    name: "cert_file",
    kind: "file",
    description: "PEM file of the client certificate; with key_file.",
  },
  {
    name: "key_file",
    kind: "file",
    description: "PEM file of the client certificate's key, not encrypted; with cert_file.",
  },
  {
    name: "retry_for",
    kind: "duration",
    description:
      'How long all tries of a request may take: "0s" (one try) to "5m". By default 20 s.',
  },
] as const satisfies readonly ProviderArgument[];

/** What a construct says of itself. */
const OWN: readonly ProviderArgument[] = [
  {
    name: "declared_by",
    kind: "own",
    description:
      "Path of the construct that declared this block; it sets this. Errors then have its name and those of its properties. By " +
      "default they have the names of this block's arguments.",
  },
];

/** The description of an argument for a secret, by the kind of its place. */
const OF_PLACE: Readonly<
  Record<SecretKind, (what: string, names: Partial<Record<SecretKind, string>>) => string>
> = {
  value: (what, { env, file, command }) => `${what}. Prefer ${env}, ${file} or ${command}.`,
  env: (what) => `Name of the environment variable that holds it: ${what}.`,
  file: (what) =>
    `File that holds it: ${what}; one newline at its end is cut. Relative to Terraform's working folder.`,
  command: (what) =>
    `Program that prints it, with its arguments, without a shell: ${what}. It has Terraform's environment, 30 s, and no input; ` +
    "one newline at the end of its output is cut.",
  audience: () => "Audience of the identity token that GitHub Actions issues for each sign-in.",
};

/** The arguments that give a part. */
function rowsOf([argument, { kind, description }]: [string, PartRow]): readonly ProviderArgument[] {
  if (!isSecretArgument(argument)) return [{ name: argument, kind, description }];
  return placesOf(argument).map((place) => ({
    ...place,
    description: OF_PLACE[place.kind](description, SECRET_ARGUMENTS[argument]),
  }));
}

/** All of them, in the order of the schema. */
export const ARGUMENTS: readonly ProviderArgument[] = [
  ...Object.entries(PART_ROWS).flatMap(rowsOf),
  ...OPTIONS,
  ...OWN,
];
