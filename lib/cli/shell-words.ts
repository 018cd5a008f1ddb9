import { ERROR_CODES, type ErrorCode, IamTokensError, type Spell, type Text } from "../tokens";

/** The options for arguments of the provider's blocks. */
const OPTIONS: Partial<Record<string, string>> = {
  cloud: "--cloud",
  project_name: "--project",
  project_id: "--project-id",
};

/** In the place of a general remedy, which names places of a Terraform configuration. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  ERR_CREDENTIALS_MISSING:
    "Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud.",
  ERR_CREDENTIALS_MIXED: "Give all of them in one place.",
};

const spell: Spell = ({ word, mark }) =>
  mark === "block" ? "a cloud of clouds.yaml (--cloud)" : (OPTIONS[word] ?? word);

/** An error of the provider in the words of somebody at a shell. Its own next step stays. */
export function inShellWords(error: unknown): unknown {
  if (!IamTokensError.is(error)) return error;
  const { fact, more, remedy } = error.parts;
  const [, general] = ERROR_CODES[error.code];
  const said = (text: Text) => text.toString(spell).replace(/scope = "(\w+)"/g, "--scope $1");
  return error.with({
    spell,
    fact: said(fact),
    ...(more !== undefined && { more: said(more) }),
    remedy: (remedy === general && REMEDIES[error.code]) || said(remedy),
  });
}
