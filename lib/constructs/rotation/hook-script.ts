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
 * The output is in the first of TMPDIR, XDG_RUNTIME_DIR, /tmp, /var/tmp and /dev/shm in which nobody
 * else can replace it: the folder is entered, and it and all above it belong to root or this user,
 * and are sticky or not writable for others. Whoever owns `/` is trusted with the system's folders.
 * `ls -n` is the only POSIX way to an owner's id; Windows has no such ids. Where there is no such
 * folder, as in some containers, the output is dropped: it must not go where others can read it.
 *
 * It removes the output of an earlier failed run of the same hook, which it finds by the hook's
 * name and the stack's folder: output of other hooks and checkouts stays, and `rm` removes no
 * folder and follows no link.
 *
 * It sets no variables, except in subshells: the command would see a changed value of one that the
 * user has exported. Signals end the command, but not the part that prints where the output is.
 */
export const HOOK_TEXT = `ours() {
  while
    LC_ALL=C ls -ldn . | {
      read -r mode _ uid _
      case " 0 $(id -u) $1 " in *" $uid "*) ;; *) exit 1 ;; esac
      case $mode in ?????-??-* | ?????????[tT]*) ;; *) exit 1 ;; esac
    }
  do
    [ "$(pwd -P)" = / ] && return
    cd -P .. || break
  done
  return 1
}
output() {
  for base in "\${TMPDIR:-/tmp}" "\${XDG_RUNTIME_DIR-}" /tmp /var/tmp /dev/shm; do
    case $base in
      /tmp | /var/tmp | /dev/shm) root=$(LC_ALL=C ls -ldn / | { read -r _ _ uid _ && echo "$uid"; }) ;;
      /* | [A-Za-z]:*) root= ;;
      *) continue ;;
    esac
    if cd -P "$base" && { [ "\${OS-}" = Windows_NT ] || (ours "$root"); }; then
      rm -f "$1".*
      mktemp "$(pwd -P)/$1.XXXXXXXXXX" && return
    fi
  done 2>/dev/null
}
set -- "$${HOOK_COMMAND}" "rotation-hook.$${HOOK_NAME}-$(pwd -P | cksum | tr -d ' ')"
unset ${HOOK_SCRIPT} ${HOOK_COMMAND} ${HOOK_NAME}
set -- "$1" "$(output "$2")"
trap : HUP INT TERM
sh -c "$1" >"\${2:-/dev/null}" 2>&1 </dev/null
set -- "$?" "$2"
if [ "$1" = 0 ]; then [ -z "$2" ] || rm -f "$2"; exit 0; fi
if [ -z "$2" ]; then
  echo "The hook ended with exit code $1. Its output was dropped: no folder is safe for it. Set TMPDIR to a folder that you can write; it and each folder above it have to be yours or root's, and sticky (chmod +t) or not writable for others."
else
  echo "The hook ended with exit code $1. Its output is in $2, which only its owner can read: it may hold the token."
fi
exit "$1"
`;
