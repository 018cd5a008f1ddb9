import type { Naming, Subject } from "../../identity";
import {
  type AuthUrl,
  assertName,
  assertSegment,
  defined,
  IamTokensError,
  ofProcess,
  parseAuthUrl,
  parseSharedAuthUrl,
  setting,
  type Text,
  words,
} from "../../tokens";
import {
  argumentsOf,
  isSecretArgument,
  PARTS,
  type Part,
  SECRET_ARGUMENTS,
  WAYS,
  type Way,
} from "../../tokens/ways";
import { secretOfText } from "../secrets/read-secret";
import {
  assertFilePath,
  assertVariableName,
  parseCommand,
  type SecretReference,
} from "../secrets/secret-reference";
import { are, list, named } from "../wording";
import type { FoundFile } from "./of-project";
import { type References, referencesOf, toReference } from "./references";

/** What gives parts in a source: arguments, variables, or keys of clouds.yaml. */
type SettingKind = "arguments" | "variables" | "keys";

/**
 * What one source of credentials gives, as plain data: the provider block, a cloud or the
 * environment. It cannot reach into another source, so no module can combine its own address with
 * the pipeline's password.
 */
export interface Source
  extends Pick<CredentialDescription, "source" | "project" | "files" | "addressFile"> {
  /** In a sentence: "the provider block". */
  readonly title: Text;
  readonly kind: SettingKind;
  readonly given: readonly Given[];
  /** The ways that its type (OS_AUTH_TYPE) allows. @default - all */
  readonly ways?: readonly Way[];
  /** Variables of the environment that are not used with this source. */
  readonly unused?: readonly string[];
  /** Variables that are set, but empty. */
  readonly empty?: readonly string[];
  /** The next step, if the address is missing. */
  readonly addressHint?: Text;
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
const FILES = {
  arguments: { ca: "ca_file", cert: "cert_file", key: "key_file" },
  variables: { ca: "OS_CACERT", cert: "OS_CERT", key: "OS_KEY" },
  keys: { ca: "cacert", cert: "cert", key: "key" },
} as const satisfies Record<SettingKind, object>;

/** A file, the setting that names it, and the setting's name in messages. */
export interface FileReference {
  readonly path: string;
  readonly name: string;
  readonly origin: Text;
}

/** The files for TLS: CA, client certificate, and its key. */
export type TlsFiles = Readonly<Partial<Record<"ca" | "cert" | "key", FileReference>>>;

/** The credentials and the service: everything that is known before a secret is read. */
export type CredentialDescription = Subject & {
  /** Who gives them, or selects the cloud that does: OS_CLOUD is the environment. */
  readonly source: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl;
  readonly secret: SecretReference;
  readonly files: TlsFiles;
  readonly references: References;
  /** The project from the environment or the cloud. Not checked: only some tokens need it. */
  readonly project?: GivenProject;
  /** The file that gives the address of a cloud. */
  readonly addressFile?: FoundFile;
};

/** A project, and the name in messages of the setting that decides: of its id, if that is given. */
export interface GivenProject extends Naming {
  readonly origin: Text;
}

/** A mistake in a source, with the setting that has it. */
export interface Mistake {
  readonly name: string;
  readonly error: IamTokensError;
}

/** The name of a setting in messages. A path in a token's block cannot point into another block. */
export function originOf(source: Pick<Source, "kind" | "title">, name: string): Text {
  const word = inWords(source, name);
  return source.kind === "variables" ? word : words`${word} of ${source.title}`;
}

/** A setting, for whoever prints it. */
function inWords({ kind }: Pick<Source, "kind">, name: string): Text {
  if (kind === "keys") return name;
  return kind === "arguments" ? setting(name) : ofProcess(name);
}

/**
 * All mistakes in what a source gives, without reading anything. Unknown values have none; half a
 * way is none yet, because another source may give it all: see {@link missingIn}.
 */
export function mistakesIn(source: Source): readonly Mistake[] {
  return [
    ...source.given.flatMap(({ argument, name, value }) =>
      value === null
        ? []
        : mistakeOf(name, () => assertValue(argument, originOf(source, name), value)),
    ),
    ...PARTS.flatMap((part) => givenTwice(source, part)),
    ...twoWays(source),
    ...halfCertificate(source.files),
  ];
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
  origin: Text,
  value: string | SecretReference,
): void {
  if (typeof value !== "string") assertReference(origin, value);
  else if (argument === "auth_url") named(origin, () => parseAuthUrl(value));
  else if (/account|domain/.test(argument)) assertName(origin, value, "ERR_ACCOUNT_INVALID");
  else if (PARTS.some((part) => part.argument === argument && part.isSegment))
    assertSegment(origin, value);
  else assertName(origin, value);
}

function assertReference(origin: Text, reference: SecretReference): void {
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
function givenTwice(source: Source, part: Part): readonly Mistake[] {
  const { given, title } = source;
  const known = given.filter(({ argument, value }) => argument === part.argument && value !== null);
  const last = known.at(-1);
  const isSame = known.every(({ value }) => typeof value === "string" && value === last?.value);
  if (last === undefined || known.length < 2 || isSame) return [];
  const names = list(known.map(({ name }) => inWords(source, name)));
  const problem = words`In ${title}, ${names} give the ${part.name} in different ways.`;
  const error = new IamTokensError("ERR_CREDENTIALS_MIXED", problem, {
    remedy: "Keep one of them.",
  });
  return [{ name: last.name, error }];
}

/** Parts that no way has together. */
function twoWays(source: Source): readonly Mistake[] {
  const known = source.given.filter(({ value }) => value !== null);
  const way = wayOf(source, known);
  const others = outside(way, known);
  const last = others.at(-1);
  if (last === undefined) return [];
  const names = list(others.map(({ name }) => inWords(source, name)));
  const [verb, them] = others.length > 1 ? ["belong", "them"] : ["belongs", "it"];
  const error = new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`In ${source.title}, ${names} ${verb} to another way of signing in than ${way.text}.`,
    { remedy: words`Remove ${names}, or sign in with ${them} alone.` },
  );
  return [{ name: last.name, error }];
}

/** The first of the ways with all that is given, or with most of it. */
export function wayOf(source: Source, given = source.given): Way {
  const { ways = WAYS } = source;
  const [best = WAYS[0]] = [...ways].sort(
    (one, other) => outside(one, given).length - outside(other, given).length,
  );
  return best;
}

function outside({ parts }: Way, given: readonly Given[]): readonly Given[] {
  return given.filter(({ argument }) => parts.every((part) => part.argument !== argument));
}

function halfCertificate({ cert, key }: TlsFiles): readonly Mistake[] {
  const one = cert ?? key;
  if (one === undefined || (cert && key)) return [];
  const problem = words`${one.origin} is given without the other half: a certificate and its key belong together.`;
  return [{ name: one.name, error: new IamTokensError("ERR_CERTIFICATE_INVALID", problem) }];
}

/** The error of a source that lacks parts of its way of signing in. */
export function missingIn(source: Source): IamTokensError | undefined {
  const { title, kind, given, unused = [], empty = [] } = source;
  const has = (argument: Part["argument"]) => given.some((each) => each.argument === argument);
  const way = wayOf(source);
  const lacking = way.parts.filter(
    ({ argument, optional }) => !has(argument) && optional?.(has) !== true,
  );
  if (lacking.length === 0) return undefined;
  const gives =
    given.length === 0
      ? ""
      : words` gives ${list([...new Set(given.map(({ name }) => name))].map((name) => inWords(source, name)))}, but`;
  const parts = list(lacking.map(({ name }) => `the ${name}`));
  const beside = unused.filter((name) =>
    lacking.some((part) => [...part.variables, part.usual?.variables].includes(name)),
  );
  const more =
    beside.length === 0
      ? undefined
      : words`One source gives all parts: ${are(beside.map(ofProcess))} set, but not used with ${title}.`;
  const settings = lacking.map((part): Text => {
    if (kind !== "arguments") {
      const first = part.usual?.[kind] ?? part[kind][0];
      return empty.includes(first) ? `${first}, which is empty` : first;
    }
    if (!isSecretArgument(part.argument)) return setting(part.argument);
    const variable = beside.find((name) => part.variables.includes(name));
    const { env } = SECRET_ARGUMENTS[part.argument];
    return variable === undefined ? setting(env) : words`${setting(env)} = "${variable}"`;
  });
  const { ways = WAYS } = source;
  const type = kind === "variables" ? "OS_AUTH_TYPE" : "auth_type";
  const untyped =
    ways.length === WAYS.length ? "" : ` Or remove ${type}, which selects ${way.text}.`;
  const remedy =
    source.addressHint !== undefined && lacking.some(({ argument }) => argument === "auth_url")
      ? source.addressHint
      : kind === "variables"
        ? words`Set ${list(settings)}.`
        : words`Add ${list(settings)} to ${kind === "keys" ? "auth, in clouds.yaml or secure.yaml" : title}.`;
  return new IamTokensError(
    beside.length === 0 ? "ERR_CREDENTIALS_MISSING" : "ERR_CREDENTIALS_MIXED",
    words`${words`${title}`.capitalized()}${gives} lacks ${parts}.`,
    defined({ more, remedy: words`${remedy}${untyped}` }),
  );
}

/** The files for TLS that the settings of a kind name. */
export function filesBy(
  source: Pick<Source, "kind" | "title">,
  read: (name: string) => string | undefined,
): TlsFiles {
  return Object.fromEntries(
    Object.entries(FILES[source.kind]).flatMap(([file, name]) => {
      const path = read(name);
      return path === undefined ? [] : [[file, { path, name, origin: originOf(source, name) }]];
    }),
  );
}

/** What the arguments give that have a value. */
export function givenBy(read: (name: string) => Given["value"] | undefined): readonly Given[] {
  return PARTS.flatMap((part) =>
    argumentsOf(part).flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [{ argument: part.argument, name, value }];
    }),
  );
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
  const way = wayOf(source);
  // Of two settings for one part, the first: they are equal.
  const values = new Map([...source.given].reverse().map((each) => [each.argument, each.value]));
  const text = (argument: Part["argument"]): string | undefined => {
    const value = values.get(argument);
    return typeof value === "string" ? value : undefined;
  };
  const secret = [...values.values()].find((value) => typeof value === "object");
  const references = referencesOf(text);
  return {
    ...subjectOf(way, references, (argument) => text(argument) ?? ""),
    source: source.source,
    authUrl: (source.kind === "arguments" ? parseAuthUrl : parseSharedAuthUrl)(
      text("auth_url") ?? "",
    ),
    // Each way has one, and nothing is unknown any more.
    secret: secret as SecretReference,
    files: source.files,
    references,
    ...defined({ project: source.project, addressFile: source.addressFile }),
  };
}

function subjectOf(
  { name }: Way,
  references: References,
  text: (argument: Part["argument"]) => string,
): Subject {
  // A way that needs its user has it, with the domain of a name.
  const user = toReference(references.user) ?? { id: "" };
  switch (name) {
    case "password":
      return { way: name, user };
    case "application credential": {
      const id = text("application_credential_id");
      const by = id === "" ? { name: text("application_credential_name"), user } : { id };
      return { way: name, by };
    }
    case "identity token": {
      const [identityProvider, protocol] = [text("identity_provider"), text("protocol")];
      return { way: name, identityProvider, protocol };
    }
  }
}

/** The error of a selected cloud together with other parts of the credentials. */
export function cloudAndParts(selector: Text, beside: readonly Text[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`${selector} names an entry of clouds.yaml, but ${are(beside)} given: two sources.`,
    { remedy: words`Remove ${selector}, or remove ${list(beside)}.` },
  );
}
