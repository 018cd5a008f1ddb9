/** The variables that carry a hook's texts: of its own environment, so that no quoting stands between them and the shell. */
export const HOOK_SCRIPT = "IAM_TOKENS_HOOK";
export const HOOK_COMMAND = "IAM_TOKENS_HOOK_COMMAND";

/** What Terraform runs, and what it prints when the hook fails. */
export const HOOK_LINE = `exec sh -c "$${HOOK_SCRIPT}"`;

/**
 * Runs the command, and gives Terraform its exit code alone: Terraform prints the whole output of a command that fails, and a hook's
 * output may hold the token (`set -x`, `curl -v`). `mktemp` makes files that only their owner can read.
 *
 * It uses no variables of its own: one that the user has exported would be changed for the command. Signals end the command, and not what
 * says where its output is.
 */
export const HOOK_TEXT = `set -- "$${HOOK_COMMAND}"
unset ${HOOK_SCRIPT} ${HOOK_COMMAND}
set -- "$1" "$(mktemp "\${TMPDIR:-/tmp}/rotation-hook.XXXXXXXXXX")"
[ -n "$2" ] || { echo "The hook did not run: no file for its output can be made in \${TMPDIR:-/tmp}."; exit 1; }
trap : HUP INT TERM
sh -c "$1" >"$2" 2>&1 </dev/null
set -- "$?" "$2"
if [ "$1" = 0 ]; then rm -f "$2"; exit 0; fi
echo "The hook ended with exit code $1. What it printed is in $2, which only its owner can read: it may hold the token."
exit "$1"
`;

/** A text as Terraform takes it literally; CDK tokens in it stay what they are. */
export function literally(text: string): string {
  return text.replace(/[$%]\{(?!TfToken\[)/g, (opening) => `${opening[0]}${opening}`);
}
