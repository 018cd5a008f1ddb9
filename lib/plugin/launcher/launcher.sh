#!/bin/sh
# __TITLE__, started by Terraform or OpenTofu.
#
# It becomes Node.js with main.cjs beside it, or waits while a server that is there serves it
# (ARCHITECTURE.md, "Hand-over"). It runs at every launch, so it does nothing that it need not: each
# program that it started would cost a millisecond. Its names in capitals between double underscores
# are filled in by the build (lib/build/launcher.mjs).
#
# shellcheck disable=SC3067 # the sh of every Linux knows -O, and another starts its own server

# A company's certificates make Node.js start several times slower; they are handed on and read when
# they are needed.
if [ -n "${NODE_EXTRA_CA_CERTS-}" ]; then
  __EXTRA_CA_VARIABLE__=$NODE_EXTRA_CA_CERTS
  export __EXTRA_CA_VARIABLE__
fi
unset __REMOVED_VARIABLES__
# No core has the secrets in it. By SIGUSR1 Node.js would open its debugger to all users of the
# machine: until it has begun the signal is ignored, then it finds an address that nothing can have.
ulimit -c 0
trap '' USR1
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
# Terraform links the folder. Whoever linked this one file instead is served too.
if [ ! -f "$here/main.cjs" ]; then here=$(readlink -f -- "$0") && here=${here%/*}; fi
if ! command -v node >/dev/null 2>&1; then
  echo '__TITLE__ needs Node.js __MINIMUM_NODE__ or newer, and there is no "node" in PATH.'
  exit 1
fi

# One server in the background for all launches of one Terraform process. It does not return when
# this launch is served by it; else a server for this launch alone is to be started. Nothing here
# waits for what may not come: a slot ends when no server holds its other end.
handover() {
  trap '' INT
  # What makefiles export as SHELLOPTS, bash begins with, also as sh.
  set +efu
  # Nothing that Terraform was started with, a pipe of make's or of a shell's, waits for what lives
  # longer than Terraform.
  exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  base=${XDG_RUNTIME_DIR-}
  [ -n "$base" ] && [ -O "$base" ] || base=${TMPDIR:-/tmp}
  base=${base%/}
  case $base in /*) ;; *) return ;; esac
  # The start time of the process that has started this one: with its id it names one Terraform.
  { read -r stat <"/proc/$PPID/stat"; } 2>/dev/null || return
  # shellcheck disable=SC2086 # into words
  set -- ${stat##*") "}
  case ${20-} in '' | *[!0-9]*) return ;; esac
  folder=$base/__PREFIX__-$PPID-${20}
  # The longest one in which a socket has room.
  [ "${#folder}" -le 100 ] || return
  if [ -d "$folder" ]; then join; else lead "${20}"; fi
}
# Starts the server, which makes the folder: it must not be there before. By the pipe it sends its
# line, and by the pipe's end its own.
lead() {
  # No program is started before it, as Terraform waits.
  {
    node __NODE_ARGUMENTS__ "$here/main.cjs" handover "$folder" "$PPID" "$1" "$$" </dev/null &
  } 2>/dev/null |
    follow && exit
}
# What the first launch is while it is served, in a process of its own: Terraform waits for what it
# leaves open.
follow() {
  listen slots 4<&0 </dev/null 2>/dev/null
}
# Where later launches find their FIFOs. The last one says that all are there.
slots() {
  exec >/dev/null
  enter && mkfifo -m 600 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 control
}
# Takes a slot of the server that is there. The server knows the slot's owner by descriptor 4.
join() {
  if enter; then
    set -C
    for slot in [1-9]*; do
      [ -p "$slot" ] || continue
      printf '%s\n' "$$" "$here/main.cjs" "$PLUGIN_CLIENT_CERT" >"c$slot" || continue
      # shellcheck disable=SC2094 # a FIFO: opened for both, so that opening it does not wait
      if command exec 3<>"$slot" 4<"$slot" 3>&- 5<>control; then
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
# Goes into the folder and looks whose it is. From there its files are found, and nobody can put
# another folder in its place.
enter() {
  back=$PWD
  cd -P "$folder" || return
  [ "$PWD" = "$folder" ] && [ -O . ] && return
  cd "$back" || exit 1
  return 1
}
# Prints the handshake line that the server sends, and stays for as long as the server says.
listen() {
  read -r line <&4 || return
  case $line in '1|'*) ;; *) return 1 ;; esac
  printf '%s\n' "$line" || return
  "$@"
  # It ends without a word when the server was killed.
  read -r line <&4 || { cd / && rm -rf "$folder"; }
  exit 0
}

# Without TLS nothing would tell the clients apart; and what a server writes for several launches
# cannot be in the log of each.
if [ "${__HANDOVER_VARIABLE__-1}" = 1 ] && [ -n "${PLUGIN_CLIENT_CERT-}" ] &&
  [ -z "${TF_LOG-}${TF_LOG_PROVIDER-}" ]; then handover; fi
exec node __NODE_ARGUMENTS__ "$here/main.cjs"
