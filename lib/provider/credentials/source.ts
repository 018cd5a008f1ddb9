import type { Naming, Subject } from "../../identity";
import {
  type AuthUrl,
  ofProcess,
  setting,
  type Text,
  type UnresolvedUrl,
  type Words,
  words,
} from "../../tokens";
import { type PartArgument, variableOfKey, type Way } from "../../tokens/ways";
import type { SecretReference } from "../secrets/secret-reference";
import type { References } from "./references";

/** Who a source is, in messages. */
export interface SourceName {
  /** The kind of its settings: arguments, variables, or keys of clouds.yaml. */
  readonly kind: "arguments" | "variables" | "keys";
  /** In a sentence: "the provider block". */
  readonly title: Words;
}

/**
 * What one source of credentials gives, as plain data: the provider block, a cloud or the
 * environment. It cannot reach into another source, so no module can combine its own address with
 * the pipeline's password.
 */
export interface Source
  extends SourceName,
    Pick<CredentialDescription, "givenBy" | "project" | "files"> {
  /** In the order of the parts; of a secret one, unless it is missing, or given in several ways. */
  readonly given: readonly Given[];
  /** The arguments that Terraform does not know yet. */
  readonly unknown: readonly string[];
  /** The ways that its type (OS_AUTH_TYPE) allows. @default - all */
  readonly ways?: readonly Way[];
}

/** A setting for a part of a way of signing in, with what it has; with neither while unknown. */
export interface Given {
  readonly argument: PartArgument;
  /** The argument, variable or key that gives it: `password_env`, `OS_PASSWORD`, `password`. */
  readonly name: string;
  readonly text?: string;
  readonly secret?: SecretReference;
}

export const isKnownPart = ({ text, secret }: Given) => text !== undefined || secret !== undefined;

/** A file, and the name in messages of the setting that names it. */
export interface FileReference {
  readonly path: string;
  readonly origin: Text;
}

/** The files for TLS: CA, client certificate, and its key. */
export type TlsFiles = Readonly<Partial<Record<"ca" | "cert" | "key", FileReference>>>;

/** The credentials and the service: everything that is known before a secret is read. */
export type CredentialDescription = Subject & {
  /** Who gives them, or selects the cloud that does: OS_CLOUD is the environment. */
  readonly givenBy: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl | UnresolvedUrl;
  readonly secret: SecretReference;
  readonly files: TlsFiles;
  readonly references: References;
  /** The project from the environment or the cloud. Not checked: only some tokens need it. */
  readonly project?: GivenProject;
  /** The kind of the settings that give them. */
  readonly kind: SourceName["kind"];
};

/** A project, and the name in messages of the setting that decides: of its id, if that is given. */
export interface GivenProject extends Naming {
  readonly origin: Text;
}

/** The name of a setting in messages. A path in a token's block cannot point into another block. */
export function originOf(source: SourceName, name: string): Text {
  const word = wordOf(source, name);
  return source.kind === "variables" ? word : words`${word} of ${source.title}`;
}

/** A setting, for whoever prints it. */
export function wordOf({ kind }: SourceName, name: string): Text {
  if (kind === "keys") return name;
  return kind === "arguments" ? setting(name) : ofProcess(name);
}

/** The files for TLS, with their keys of clouds.yaml. */
const FILES = { ca: "cacert", cert: "cert", key: "key" };

/**
 * The files for TLS that the settings of a source name.
 *
 * @param read the path by an argument, or by a key of clouds.yaml
 */
export function filesBy(
  source: SourceName,
  read: (setting: string) => string | undefined,
): TlsFiles {
  return Object.fromEntries(
    Object.entries(FILES).flatMap(([file, key]) => {
      const setting = source.kind === "arguments" ? `${file}_file` : key;
      const name = source.kind === "variables" ? variableOfKey(key) : setting;
      const path = read(setting);
      return path === undefined ? [] : [[file, { path, origin: originOf(source, name) }]];
    }),
  );
}
