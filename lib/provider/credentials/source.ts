import type { Subject } from "../../identity";
import {
  type AuthUrl,
  assertName,
  assertSegment,
  defined,
  IamTokensError,
  parseAuthUrl,
} from "../../tokens";
import {
  argumentsOf,
  isSecretArgument,
  isShared,
  PARTS,
  type Part,
  SECRET_ARGUMENTS,
  WAYS,
  type Way,
} from "../../tokens/ways";
import { are, list, named } from "../configuration/wording";
import { secretOfText } from "../secrets/read-secret";
import {
  assertFilePath,
  assertVariableName,
  parseCommand,
  type SecretReference,
} from "../secrets/secret-reference";

/** What gives parts in a source: arguments, variables, or keys of clouds.yaml. */
export type SettingKind = "argument" | "variable" | "key";

/**
 * What one source of credentials gives, as plain data: the provider block, a cloud or the
 * environment. It cannot reach into another source, so no module can combine its own address with
 * the pipeline's password.
 */
export interface Source extends Pick<CredentialDescription, "source" | "project"> {
  /** In a sentence: "the provider block". */
  readonly title: string;
  readonly kind: SettingKind;
  readonly given: readonly Given[];
  readonly files: GivenFiles;
  /** The ways that its type (OS_AUTH_TYPE) allows. @default - all */
  readonly ways?: readonly Way[];
  /** Variables of the environment that are not used with this source. */
  readonly unused?: readonly string[];
  /** Variables that are set, but empty. */
  readonly empty?: readonly string[];
}

/** What a source gives for a part of a way of signing in. */
export interface Given {
  readonly argument: Part["argument"];
  /** The argument, variable or key that gives it: `password_env`, `OS_PASSWORD`, `password`. */
  readonly name: string;
  /** Null until Terraform knows it. */
  readonly value: string | SecretReference | null;
}

/** The settings of files for TLS. */
export const FILES = {
  argument: { ca: "ca_file", cert: "cert_file", key: "key_file" },
  variable: { ca: "OS_CACERT", cert: "OS_CERT", key: "OS_KEY" },
  key: { ca: "cacert", cert: "cert", key: "key" },
} as const satisfies Record<SettingKind, object>;

/** The paths of files for TLS; null until Terraform knows one. */
export type GivenFiles = Readonly<Partial<Record<"ca" | "cert" | "key", string | null>>>;

/** A file, and the name of its origin in messages. */
export interface FileReference {
  readonly path: string;
  readonly origin: string;
}

/** The files for TLS of a description. */
export interface TlsFiles {
  readonly caFile?: FileReference;
  readonly clientCertificate?: { readonly cert: FileReference; readonly key: FileReference };
}

/** The credentials and the service: everything that is known before a secret is read. */
export type CredentialDescription = Subject &
  TlsFiles & {
    /** Who gives them, or selects the cloud that does: OS_CLOUD is the environment. */
    readonly source: "block" | "cloud" | "environment";
    readonly authUrl: AuthUrl;
    readonly secret: SecretReference;
    /** The project from OS_PROJECT_NAME or the cloud. Not checked: only some tokens need it. */
    readonly project?: { readonly name: string; readonly origin: string };
  };

/** A mistake in a source, with the setting that has it. */
export interface Mistake {
  readonly name: string;
  readonly error: IamTokensError;
}

/** The name of a setting in messages. A path in a token's block cannot point into another block. */
export function originOf({ kind, title }: Pick<Source, "kind" | "title">, name: string): string {
  return kind === "variable" ? name : `${name} of ${title}`;
}

/**
 * All mistakes in what a source gives, without reading anything. Unknown values have none; half a
 * way is none yet, because another source may give it all: see {@link missingIn}.
 */
export function mistakesIn(source: Source): readonly Mistake[] {
  return [
    ...source.given.flatMap((each) => wrongValue(source, each)),
    ...PARTS.flatMap((part) => givenTwice(source, part)),
    ...twoWays(source),
    ...halfCertificate(source),
  ];
}

function wrongValue(source: Source, { argument, name, value }: Given): readonly Mistake[] {
  return value === null
    ? []
    : mistakeOf(name, () => assertValue(argument, originOf(source, name), value));
}

/** What a check of a setting throws. */
export function mistakeOf(name: string, check: () => unknown): readonly Mistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return [{ name, error }];
  }
}

function assertValue(
  argument: Given["argument"],
  origin: string,
  value: string | SecretReference,
): void {
  if (typeof value !== "string") assertReference(origin, value);
  else if (argument === "auth_url") named(origin, () => parseAuthUrl(value));
  else if (argument === "account_id") assertName(origin, value, "ERR_ACCOUNT_INVALID");
  else if (PARTS.some((part) => part.argument === argument && part.isSegment))
    assertSegment(origin, value);
  else assertName(origin, value);
}

function assertReference(origin: string, reference: SecretReference): void {
  switch (reference.kind) {
    case "value":
      secretOfText(origin, reference.value.reveal());
      break;
    case "env":
      assertVariableName(origin, reference.name);
      break;
    case "file":
      assertFilePath(origin, reference.path);
      break;
    case "command":
      parseCommand(origin, reference.command);
      break;
    case "audience":
      assertName(origin, reference.audience);
  }
}

/** Of two settings for one part, OpenStack's clients take different ones. */
function givenTwice({ given, title }: Source, { argument, name }: Part): readonly Mistake[] {
  const known = given.filter((each) => each.argument === argument && each.value !== null);
  const [first, last] = [known[0], known.at(-1)];
  const isSecret = isSecretArgument(argument);
  if (!last || (isSecret ? first === last : known.every(({ value }) => value === first?.value)))
    return [];
  const error = new IamTokensError(
    isSecret ? "ERR_CREDENTIALS_MIXED" : "ERR_CREDENTIALS_UNSUPPORTED",
    `In ${title}, ${list(known.map((each) => each.name))} give the ${name}${isSecret ? "" : " differently"}.`,
    { remedy: "Keep one of them." },
  );
  return [{ name: last.name, error }];
}

/** Parts that no way has together. */
function twoWays({ title, given, ways = WAYS }: Source): readonly Mistake[] {
  const known = given.filter(({ value }) => value !== null);
  const way = bestOf(ways, known);
  const outside = known.filter(({ argument }) => !has(way, argument)).map(({ name }) => name);
  const last = outside.at(-1);
  if (last === undefined) return [];
  const inside = way.parts.filter((part) => !isShared(part)).map(({ argument }) => argument);
  const own = known.filter(({ argument }) => inside.includes(argument)).map(({ name }) => name);
  const first = own.length === 0 ? "" : `${list(own)} (${way.text}) and `;
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${sentence(title)} gives ${first}${list(outside)}, which ${outside.length > 1 ? "belong" : "belongs"} to another way of signing in.`,
    {
      allowed: `one of ${list([...new Set(WAYS.map(({ text }) => text))], "or")}, with nothing of another`,
      remedy: `Remove ${list(outside)}${own.length === 0 ? "" : ", or the parts of the other way"}.`,
    },
  );
  return [{ name: last, error }];
}

/** The first of the ways with all that is given, or with most of it. */
function bestOf(ways: readonly Way[], given: readonly Given[]): Way {
  const outside = (way: Way) => given.filter(({ argument }) => !has(way, argument)).length;
  return ways.reduce(
    (best, way) => (outside(way) < outside(best) ? way : best),
    ways[0] ?? WAYS[0],
  );
}

function has({ parts }: Way, wanted: Part["argument"]): boolean {
  return parts.some(({ argument }) => argument === wanted);
}

function halfCertificate(source: Pick<Source, "kind" | "title" | "files">): readonly Mistake[] {
  const { cert, key } = FILES[source.kind];
  const [hasCert, hasKey] = ["cert", "key"].map((name) => name in source.files);
  if (hasCert === hasKey) return [];
  const [here, other] = hasCert ? [cert, key] : [key, cert];
  const error = new IamTokensError(
    "ERR_CERTIFICATE_INVALID",
    `${originOf(source, here)} is given without ${other}.`,
  );
  return [{ name: here, error }];
}

/** The error of a source that lacks parts of its way of signing in. */
export function missingIn(source: Source): IamTokensError | undefined {
  const { title, kind, given, ways = WAYS, unused = [], empty = [] } = source;
  const { parts } = bestOf(ways, given);
  const lacking = parts.filter((part) => !part.optional && !givenFor(source, part));
  if (lacking.length === 0) return undefined;
  const beside = unused.filter((name) => lacking.some(({ variables }) => variables.includes(name)));
  const words = list(
    lacking.map((part) => {
      const [first = "", ...more] = settingsOf(part, kind);
      if (empty.includes(first)) return `${first} (empty)`;
      return kind !== "argument" || more.length === 0
        ? first
        : `the ${part.name} (${list([first, ...more], "or")})`;
    }),
  );
  const elsewhere =
    beside.length === 0
      ? ""
      : ` One source gives all parts: ${are(beside)} set, but not used with ${title}.`;
  return new IamTokensError(
    beside.length === 0 ? "ERR_CREDENTIALS_MISSING" : "ERR_CREDENTIALS_MIXED",
    `${sentence(title)} gives ${given.length === 0 ? "no" : `${list(given.map(({ name }) => name))}, but not`} ${words}.${elsewhere}`,
    { remedy: remedyFor(kind, lacking, beside) },
  );
}

function remedyFor(kind: SettingKind, lacking: readonly Part[], beside: readonly string[]): string {
  const settings = lacking.map((part) => {
    const [first = ""] = settingsOf(part, kind);
    if (kind !== "argument" || !isSecretArgument(part.argument)) return first;
    const { env } = SECRET_ARGUMENTS[part.argument];
    const variable = beside.find((name) => part.variables.includes(name));
    return variable === undefined ? env : `${env} = "${variable}"`;
  });
  switch (kind) {
    case "argument":
      return `Add ${list(settings)} to the provider block${beside.length === 0 ? "" : ", or remove all credentials from it and let the environment give them"}.`;
    case "variable":
      return `Set ${list(settings)}.`;
    case "key":
      return `Add ${list(settings)} below auth, in clouds.yaml or secure.yaml.`;
  }
}

/** The settings that give a part in a source of this kind, the usual one first. */
function settingsOf(part: Part, kind: SettingKind): readonly string[] {
  if (kind === "argument") return argumentsOf(part);
  return kind === "variable" ? part.variables : part.keys;
}

/** What the settings of a kind give that have a value. */
export function givenBy(
  kind: SettingKind,
  read: (name: string, argument: Part["argument"]) => Given["value"] | undefined,
): readonly Given[] {
  const parts = WAYS.flatMap((way) => way.parts);
  const settings = new Map(
    parts.flatMap((part) => settingsOf(part, kind).map((name) => [name, part.argument] as const)),
  );
  return [...settings].flatMap(([name, argument]) => {
    const value = read(name, argument);
    return value === undefined ? [] : [{ argument, name, value }];
  });
}

function givenFor({ kind, given }: Source, part: Part): Given | undefined {
  const names = settingsOf(part, kind);
  return given.find(({ argument, name }) => argument === part.argument && names.includes(name));
}

/**
 * The description of the credentials in a source, which gives exactly one way of signing in.
 *
 * @throws the first of {@link mistakesIn}, or {@link missingIn}
 */
export function describeSource(source: Source): CredentialDescription {
  for (const { error } of mistakesIn(source)) throw error;
  const missing = missingIn(source);
  if (missing !== undefined) throw missing;
  const way = bestOf(source.ways ?? WAYS, source.given);
  const values = new Map(way.parts.map((part) => [part.argument, givenFor(source, part)?.value]));
  const text = (argument: Part["argument"]): string => String(values.get(argument) ?? "");
  const secret = [...values.values()].find((value) => typeof value === "object" && value !== null);
  if (typeof secret !== "object" || secret === null) throw new TypeError("a way without a secret");
  return {
    ...subjectOf(way, text),
    source: source.source,
    authUrl: parseAuthUrl(text("auth_url")),
    secret,
    ...defined({ project: source.project }),
    ...tlsFilesOf(source),
  };
}

function subjectOf({ name }: Way, text: (argument: Part["argument"]) => string): Subject {
  const accountId = text("account_id");
  const userName = text("user_name");
  switch (name) {
    case "password":
      return { way: name, accountId, userName };
    case "application credential": {
      const id = text("application_credential_id");
      const by = id === "" ? { name: text("application_credential_name"), userName } : { id };
      return { way: name, by, ...(accountId === "" ? {} : { accountId }) };
    }
    case "identity token": {
      const [identityProvider, protocol] = [text("identity_provider"), text("protocol")];
      return { way: name, accountId, identityProvider, protocol };
    }
  }
}

/** The files for TLS that a source gives. @throws ERR_CERTIFICATE_INVALID */
export function tlsFilesOf(source: Pick<Source, "kind" | "title" | "files">): TlsFiles {
  for (const { error } of halfCertificate(source)) throw error;
  const [caFile, cert, key] = (["ca", "cert", "key"] as const).map((name) => {
    const path = source.files[name] ?? undefined;
    return path === undefined
      ? undefined
      : { path, origin: originOf(source, FILES[source.kind][name]) };
  });
  return defined({ caFile, clientCertificate: cert && key ? { cert, key } : undefined });
}

/** The name of whoever signs in: of a user, of an application credential, or who vouches for it. */
export function nameOf(subject: Subject): string {
  switch (subject.way) {
    case "password":
      return subject.userName;
    case "application credential":
      return "id" in subject.by ? subject.by.id : `${subject.by.userName}/${subject.by.name}`;
    case "identity token":
      return `${subject.identityProvider}/${subject.protocol}`;
  }
}

/** The error of a selected cloud together with other parts of the credentials. */
export function cloudAndParts(selector: string, beside: readonly string[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${selector} names an entry of clouds.yaml, but ${are(beside)} given: two sources.`,
    { remedy: `Remove ${selector}, or remove ${list(beside)}.` },
  );
}

function sentence(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1);
}
