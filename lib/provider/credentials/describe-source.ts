import type { Subject } from "../../identity";
import { defined, parseAuthUrl, parseSharedAuthUrl } from "../../tokens";
import type { TextArgument, WayName } from "../../tokens/ways";
import { type Judged, missing } from "./judged";
import { referencesOf, toReference } from "./references";
import type { CredentialDescription } from "./source";

/**
 * The description of the credentials in a source, which gives exactly one way of signing in.
 *
 * @param unused variables of the environment that are not used with this source
 * @throws its first mistake, or that a part is {@link missing}
 */
export function describeSource(of: Judged, unused: readonly string[]): CredentialDescription {
  const { source, way, mistakes } = of;
  for (const { error } of mistakes) throw error;
  const texts = new Map(source.given.map(({ argument, text }) => [argument, text]));
  const text = (argument: TextArgument) => texts.get(argument);
  const references = referencesOf(text);
  const subject = subjectOf(way.name, text, toReference(references.user));
  const address = text("auth_url");
  const secret = source.given.flatMap((each) => each.secret ?? [])[0];
  if (subject === undefined || address === undefined || secret === undefined)
    throw missing(of, unused);
  // A block's address is used as it is completed; others are those of all clients.
  const parse = source.kind === "arguments" ? parseAuthUrl : parseSharedAuthUrl;
  return {
    ...subject,
    source: source.source,
    authUrl: parse(address),
    secret,
    files: source.files,
    references,
    ...defined({ project: source.project, addressFile: source.addressFile }),
  };
}

/** Who signs in; undefined if a part of it is missing. */
function subjectOf(
  way: WayName,
  text: (argument: TextArgument) => string | undefined,
  user: Extract<Subject, { way: "password" }>["user"] | undefined,
): Subject | undefined {
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
