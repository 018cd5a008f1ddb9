import type { Subject } from "../../identity";
import { assertName, assertSegment, defined, IamTokensError, parseAuthUrl } from "../../tokens";
import { isShared, PARTS, type Part, WAYS, type Way } from "../../tokens/ways";
import { list, named } from "../configuration/wording";
import type { SecretReference } from "../secrets/secret-reference";
import type { CredentialDescription } from "./credential-description";
import type { Gathered } from "./gathered";

/**
 * The description of the credentials in a source: it gives exactly one way of signing in, with all
 * parts of it, and none of another.
 *
 * @throws ERR_CREDENTIALS_MIXED for parts of two ways, ERR_CREDENTIALS_MISSING for half of one;
 * ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID, ERR_NAME_INVALID
 */
export function describeParts(gathered: Gathered): CredentialDescription {
  const { given, incomplete, source, project, warning } = gathered;
  const names = (parts: readonly Part[]) => parts.flatMap((part) => given(part)?.name ?? []);
  const { way, outside } = wayOf(gathered.ways, (part) => given(part) !== undefined);
  if (outside.length > 0) {
    const inside = way.parts.filter((part) => !isShared(part));
    throw mixedError(gathered.gives, names(inside), names(outside), way);
  }
  const lacking = way.parts.filter((part) => !part.optional && given(part) === undefined);
  if (lacking.length > 0) throw incomplete(lacking, names(way.parts));
  const { caFile, clientCertificate } = gathered;
  const { authUrl, secret, ...subject } = checked(way, given);
  return {
    ...subject,
    source,
    authUrl,
    secret,
    ...defined({ project, warning, caFile, clientCertificate }),
  };
}

/**
 * The way that given parts belong to: the first one with all of them; otherwise the one with most,
 * and the parts that it does not have.
 */
export function wayOf(
  ways: readonly Way[],
  isGiven: (part: Part) => boolean,
): { readonly way: Way; readonly outside: readonly Part[] } {
  return ways
    .map((way) => {
      const own = new Set<string>(way.parts.map(({ argument }) => argument));
      const outside = PARTS.filter((part) => !own.has(part.argument) && isGiven(part));
      return { way, outside };
    })
    .reduce((best, each) => (each.outside.length < best.outside.length ? each : best));
}

/** The error of parts that no way has together. */
export function mixedError(
  gives: string,
  inside: readonly string[],
  outside: readonly string[],
  { text }: Way,
): IamTokensError {
  const first = inside.length === 0 ? "" : `${list(inside)} (${text}) and `;
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${gives} ${first}${list(outside)}, which ${outside.length > 1 ? "belong" : "belongs"} to another way of signing in.`,
    {
      allowed: `one of ${list(
        [...new Set(WAYS.map((way) => way.text))],
        "or",
      )}, with nothing of another`,
      remedy: `Remove ${list(outside)}${inside.length === 0 ? "" : ", or the parts of the other way"}.`,
    },
  );
}

type Checked = Subject & Pick<CredentialDescription, "authUrl" | "secret">;

/** The parts of a complete way, with all of their mistakes at once. */
function checked(way: Way, given: Gathered["given"]): Checked {
  const errors: IamTokensError[] = [];
  const attempt = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  const texts: Partial<Record<Part["argument"], string>> = {};
  let authUrl: CredentialDescription["authUrl"] | undefined;
  let secret: SecretReference | undefined;
  for (const part of way.parts) {
    const { value, name, origin = name } = given(part) ?? {};
    if (value === undefined || origin === undefined) continue;
    if (typeof value !== "string") secret = value;
    else if (part.argument === "auth_url")
      authUrl = attempt(() => named(origin, () => parseAuthUrl(value)));
    else {
      const code = part.argument === "account_id" ? "ERR_ACCOUNT_INVALID" : "ERR_NAME_INVALID";
      attempt(() =>
        part.isSegment ? assertSegment(origin, value) : assertName(origin, value, code),
      );
      texts[part.argument] = value;
    }
  }
  const [first, ...more] = errors;
  if (first !== undefined) throw more.length === 0 ? first : together(first, more);
  if (authUrl === undefined || secret === undefined) throw new TypeError("a way without its parts");
  return { ...subjectOf(way, texts), authUrl, secret };
}

function subjectOf({ name }: Way, texts: Partial<Record<Part["argument"], string>>): Subject {
  const text = (argument: Part["argument"]): string => texts[argument] ?? "";
  switch (name) {
    case "password":
      return { way: name, accountId: text("account_id"), userName: text("user_name") };
    case "application credential": {
      const { application_credential_id: id } = texts;
      const by =
        id === undefined
          ? { name: text("application_credential_name"), userName: text("user_name") }
          : { id };
      return { way: name, by, ...defined({ accountId: texts.account_id }) };
    }
    case "identity token":
      return {
        way: name,
        accountId: text("account_id"),
        identityProvider: text("identity_provider"),
        protocol: text("protocol"),
      };
  }
}

function together(first: IamTokensError, more: readonly IamTokensError[]): IamTokensError {
  const all = [first, ...more];
  return new IamTokensError(first.code, all.map(({ problem }) => problem).join(" "), {
    remedy: [...new Set(all.map(({ remedy }) => remedy))].join(" "),
  });
}
