/** Values that another program should have replaced, and which one. */
const REFERENCES: readonly (readonly [form: RegExp, what: string])[] = [
  [/^op:\/\//, "a reference of 1Password (op://…): start the command by op run --"],
  [
    /^(?:ref\+|vault:[^#]*#|ENC\[.*\]$|\$ANSIBLE_VAULT;)/s,
    "a reference or encrypted: start the command by vals exec, vault-env, sops exec-env or exec-file, or use what ansible-vault view prints",
  ],
  [
    /^\{\{.*\}\}$/s,
    "a place in a template ({{ … }}) that Ansible, Helm or the like has not filled",
  ],
  [
    /^\$\(.*\)$/s,
    "a variable that Azure Pipelines does not know, or a command that a shell has not run ($(…))",
  ],
  [
    /^(?:\$\{.*\}|\$[A-Z_][A-Z0-9_]*)$/s,
    "a variable that neither the shell nor the CI system replaced (${…}, $NAME); GitLab gives a protected one to protected branches alone",
  ],
  [/^%[A-Z_]\w*%$/i, "a variable of cmd.exe (%NAME%), which nothing else replaces"],
  [/^(?:\*{3,}|\[MASKED\])$/, "what the log of a CI system has in place of a secret"],
  [/^<.*>$/s, "a page's placeholder (<…>)"],
];

/**
 * Why a string is probably not the value that was meant, after "it"; undefined without evidence. It
 * is not repeated.
 */
export function oddityOf(text: string): string | undefined {
  const [, reference] = REFERENCES.find(([form]) => form.test(text)) ?? [];
  if (reference !== undefined) return `is ${reference}`;
  const by = "which docker --env-file keeps as a part of the value. Store it without";
  if (/^(["']).*\1$/s.test(text.trim())) return `begins and ends with a quote, ${by} quotes`;
  if (text.trim() !== text)
    return "starts or ends with white space, such as the \\r of a Windows line. Store it without that";
  return /\s#/.test(text) ? `has a comment (#), ${by} it` : undefined;
}
