import type { Subject } from "../../identity";
import { defined, parseAuthUrl, parseSharedAuthUrl } from "../../tokens";
import type { TextArgument } from "../../tokens/ways";
import { referencesOf, toReference } from "./references";
import { type CredentialDescription, type Source, wayOf } from "./source";
import { missing, mistakesIn } from "./source-mistakes";

/**
 * The description of the credentials in a source, which gives exactly one way of signing in.
 *
 * @throws the first of {@link mistakesIn}, or {@link missing}
 */
export function describeSource(source: Source): CredentialDescription {
  for (const { error } of mistakesIn(source)) throw error;
  const texts = new Map(source.texts.map(({ argument, text }) => [argument, text]));
  const text = (argument: TextArgument) => texts.get(argument);
  const references = referencesOf(text);
  const subject = subjectOf(source, text, toReference(references.user));
  const address = text("auth_url");
  const [given] = source.secrets;
  if (subject === undefined || address === undefined || given === undefined) throw missing(source);
  // A block's address is used as it is completed; others are those of all clients.
  const parse = source.kind === "arguments" ? parseAuthUrl : parseSharedAuthUrl;
  return {
    ...subject,
    source: source.source,
    authUrl: parse(address),
    secret: given.secret,
    files: source.files,
    references,
    ...defined({ project: source.project, addressFile: source.addressFile }),
  };
}

/** Who signs in; undefined if a part of it is missing. */
function subjectOf(
  source: Source,
  text: (argument: TextArgument) => string | undefined,
  user: Extract<Subject, { way: "password" }>["user"] | undefined,
): Subject | undefined {
  const { name: way } = wayOf(source);
  switch (way) {
    case "password":
      return user && { way, user };
    case "application credential": {
      const [id, name] = [text("application_credential_id"), text("application_credential_name")];
      if (id !== undefined) return { way, by: { id } };
      return name !== undefined && user ? { way, by: { name, user } } : undefined;
    }
    case "identity token": {
      const [identityProvider, protocol] = [text("identity_provider"), text("protocol")];
      return identityProvider !== undefined && protocol !== undefined
        ? { way, identityProvider, protocol }
        : undefined;
    }
  }
}
