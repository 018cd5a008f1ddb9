import { HANDOVER_ARGUMENT, SLOT_DESCRIPTOR } from "../handover/handover-request";

export interface HandoverOptions {
  /** Variable that switches the hand-over off by any value but `1`. */
  readonly variable: string;
  /** How the names of its folders begin. */
  readonly prefix: string;
}

/** The longest folder in which a socket has room. */
const MAX_FOLDER = 100;
const FIRST_SLOTS = Array.from({ length: 24 }, (_, index) => index + 1).join(" ");

/**
 * The launcher's function `handover`: one server in the background for all launches of one
 * Terraform process (ARCHITECTURE.md, "Hand-over"). It does not return when this launch is served
 * by it; else a server for this launch alone is to be started.
 *
 * A launch that finds a server starts no program at all: each would cost a millisecond. Nothing
 * here waits for what may not come: a slot ends when no server holds its other end.
 */
export function handoverFunction({ prefix }: HandoverOptions): string {
  return `handover() {
  trap '' INT
  # What makefiles export as SHELLOPTS, bash begins with, also as sh.
  set +efu
  # Nothing that Terraform was started with, a pipe of make's or of a shell's, waits for what lives longer than Terraform.
  exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  base=\${XDG_RUNTIME_DIR-}
  [ -n "$base" ] && [ -O "$base" ] || base=\${TMPDIR:-/tmp}
  base=\${base%/}
  case $base in /*) ;; *) return ;; esac
  # The start time of the process that has started this one: with its id it names one Terraform.
  { read -r stat <"/proc/$PPID/stat"; } 2>/dev/null || return
  set -- \${stat##*") "}
  case \${20-} in '' | *[!0-9]*) return ;; esac
  folder=$base/${prefix}-$PPID-\${20}
  [ "\${#folder}" -le ${MAX_FOLDER} ] || return
  if [ -d "$folder" ]; then join; else lead "\${20}"; fi
}
# Starts the server, which makes the folder: it must not be there before. By the pipe it sends its line, and by the pipe's end its own.
lead() {
  # No program is started before it, as Terraform waits.
  { node "$here/main.cjs" ${HANDOVER_ARGUMENT} "$folder" "$PPID" "$1" "$$" </dev/null & } 2>/dev/null | follow && exit
}
# What the first launch is while it is served, in a process of its own: Terraform waits for what it leaves open.
follow() {
  listen slots ${SLOT_DESCRIPTOR}<&0 </dev/null 2>/dev/null
}
# Where later launches find their FIFOs. The last one says that all are there.
slots() {
  exec >/dev/null
  enter && mkfifo -m 600 ${FIRST_SLOTS} control
}
# Takes a slot of the server that is there.
join() {
  if enter; then
    set -C
    for slot in [1-9]*; do
      [ -p "$slot" ] || continue
      printf '%s\n' "$$" "$here/main.cjs" "$PLUGIN_CLIENT_CERT" >"c$slot" || continue
      if command exec 3<>"$slot" ${SLOT_DESCRIPTOR}<"$slot" 3>&- 5<>control; then
        printf '%s\n' "$slot" >&5
        command exec 5>&-
        listen
      fi
      break
    done
    set +C
    cd "$back" || exit 1
  fi 2>/dev/null
}
# Goes into the folder and looks whose it is. From there its files are found, and nobody can put another folder in its place.
enter() {
  back=$PWD
  cd -P "$folder" || return
  [ "$PWD" = "$folder" ] && [ -O . ] && return
  cd "$back" || exit 1
  return 1
}
# Prints the handshake line that the server sends, and stays for as long as the server says.
listen() {
  read -r line <&${SLOT_DESCRIPTOR} || return
  case $line in '1|'*) ;; *) return 1 ;; esac
  printf '%s\\n' "$line" || return
  "$@"
  # It ends without a word when the server was killed.
  read -r line <&${SLOT_DESCRIPTOR} || { cd / && rm -rf "$folder"; }
  exit 0
}
`;
}
