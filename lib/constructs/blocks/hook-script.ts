/**
 * The variables that carry a hook's strings. They are in the hook's environment, where the shell
 * reads them without quoting.
 */
export const HOOK_SCRIPT = "IAM_TOKENS_HOOK";
export const HOOK_COMMAND = "IAM_TOKENS_HOOK_COMMAND";
/** The variable that identifies the hook within its stack. */
export const HOOK_NAME = "IAM_TOKENS_HOOK_NAME";

/** The line that Terraform runs, and prints when the hook fails. */
export const HOOK_LINE = `exec sh -c "$${HOOK_SCRIPT}"`;

/**
 * Runs the command, and passes only its exit code to Terraform: Terraform prints the whole output
 * of a failed command, and a hook's output may contain the token (`set -x`, `curl -v`). `mktemp`
 * makes files that only their owner can read.
 *
 * It removes the output of an earlier failed run of the same hook, which it finds by the hook's
 * name and the stack's folder: output of other hooks and checkouts stays. Files of other users in
 * the temporary folder are safe: `rm` removes no folder and follows no link, and the folder's
 * sticky bit protects them.
 *
 * It sets no variables: the command would see a changed value of one that the user has exported.
 * Signals end the command, but not the part that prints where the output is.
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
echo "The hook ended with exit code $1. Its output is in $2, which only its owner can read: it may hold the token."
exit "$1"
`;
