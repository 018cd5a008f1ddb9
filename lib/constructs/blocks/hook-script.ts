/**
 * The variables that carry a hook's texts: of its own environment, so that no quoting stands
 * between them and the shell.
 */
export const HOOK_SCRIPT = "IAM_TOKENS_HOOK";
export const HOOK_COMMAND = "IAM_TOKENS_HOOK_COMMAND";
/** The variable that says which of a stack's hooks it is. */
export const HOOK_NAME = "IAM_TOKENS_HOOK_NAME";

/** What Terraform runs, and what it prints when the hook fails. */
export const HOOK_LINE = `exec sh -c "$${HOOK_SCRIPT}"`;

/**
 * Runs the command, and gives Terraform its exit code alone: Terraform prints the whole output of a
 * command that fails, and a hook's output may hold the token (`set -x`, `curl -v`). `mktemp` makes
 * files that only their owner can read.
 *
 * What an earlier run of the same hook left when it failed is removed: known by its name and the
 * stack's folder, so that neither another hook nor another checkout loses what somebody may want to
 * read. What others have made in the temporary folder stays theirs: `rm` removes no folder, follows
 * no link, and the folder's sticky bit keeps it from their files.
 *
 * It uses no variables of its own: one that the user has exported would be changed for the command.
 * Signals end the command, and not what says where its output is.
 */
export const HOOK_TEXT = `set -- "$${HOOK_COMMAND}" "\${TMPDIR:-/tmp}/rotation-hook.$${HOOK_NAME}-$(pwd -P | cksum | tr -d ' ')"
unset ${HOOK_SCRIPT} ${HOOK_COMMAND} ${HOOK_NAME}
rm -f "$2".* 2>/dev/null
set -- "$1" "$(mktemp "$2.XXXXXXXXXX")"
[ -n "$2" ] || { echo "The hook did not run: no file for its output can be made in \${TMPDIR:-/tmp}."; exit 1; }
trap : HUP INT TERM
sh -c "$1" >"$2" 2>&1 </dev/null
set -- "$?" "$2"
if [ "$1" = 0 ]; then rm -f "$2"; exit 0; fi
echo "The hook ended with exit code $1. What it printed is in $2, which only its owner can read: it may hold the token."
exit "$1"
`;
