#!/bin/sh
# __TITLE__, started by Terraform or OpenTofu.
#
# It becomes Node.js with the main.cjs next to it, or waits while a running server serves it
# (ARCHITECTURE.md, "Hand-over"). It runs at every launch and does only the necessary: starting a
# program costs a millisecond. launcher-texts.cjs replaces the names in capitals
# between double underscores.
#
# shellcheck disable=SC3067 # sh has -O on every Linux; without it, a launch has its own server

# A company's certificates make Node.js start several times slower: they are passed on and read when
# they are needed.
if [ -n "${NODE_EXTRA_CA_CERTS-}" ]; then
  __EXTRA_CA_VARIABLE__=$NODE_EXTRA_CA_CERTS
  export __EXTRA_CA_VARIABLE__
fi
# Of the options, one is passed on: whom to trust.
case " ${NODE_OPTIONS-} " in *" --use-system-ca "*)
  NODE_USE_SYSTEM_CA=1
  export NODE_USE_SYSTEM_CA
  ;;
esac
unset __REMOVED_VARIABLES__
# Core dumps would contain secrets. SIGUSR1 opens Node.js's debugger to all users of the machine, but
# the provider's has an impossible address; until Node.js handles the signal, it would end this.
# shellcheck disable=SC3045 # every known sh has -c, and any other continues
ulimit -c 0
trap '' USR1
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
# Terraform links the folder. A link to this file alone works as well; it is followed step by step,
# because macOS before 12.3 has no readlink -f.
file=$here/${0##*/}
while [ ! -f "$here/main.cjs" ] && [ -L "$file" ]; do
  file=$(readlink -- "$file")
  case $file in /*) ;; *) file=$here/$file ;; esac
  here=${file%/*}
done
__NODE_BESIDE__
if ! command -v __NODE__ >/dev/null 2>&1; then
  echo '__TITLE__ needs Node.js __MINIMUM_NODE__ or newer, and there is no "node" in PATH.'
  exit 1
fi

# One server in the background for all launches of one Terraform process. If it serves this launch,
# this function does not return; otherwise the caller starts a server for this launch alone. Nothing
# here can wait forever: a slot ends when no server has its other end open.
handover() {
  # The server ends, and this script with it, when Terraform ends: whatever a terminal or a CI
  # system sends to the whole process group.
  trap '' HUP INT TERM
  # bash, even as sh, starts with the options in a SHELLOPTS that makefiles export.
  set +efu
  # Closes descriptors that Terraform has inherited: the reader of a pipe from make or a shell must
  # not wait for the server, which ends after Terraform.
  exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  # Whoever may rename the folder could put one of his own in its place, and be the provider: it is
  # never in TMPDIR. In a pod, /tmp may be a volume without the sticky bit.
  if [ -k /tmp ]; then base=/tmp; elif [ -k /dev/shm ]; then base=/dev/shm; else return; fi
  # The start time of the parent process: together with its id, it identifies one Terraform.
  { read -r stat <"/proc/$PPID/stat"; } 2>/dev/null || return
  # shellcheck disable=SC2086 # split into words
  set -- ${stat##*") "}
  case ${20-} in '' | *[!0-9]*) return ;; esac
  folder=$base/__PREFIX__-$PPID-${20}
  if [ -d "$folder" ]; then join; else lead "${20}"; fi
}
# Starts the server, which creates the folder: it must not exist before. The pipe carries the
# server's line, and the pipe's end means that the server has ended.
lead() {
  # No program is started before it, because Terraform waits.
  {
    __NODE__ __NODE_ARGUMENTS__ "$here/main.cjs" handover "$folder" "$PPID" "$1" "$$" </dev/null &
  } 2>/dev/null |
    follow && exit
}
# The first launch while it is served, in a process of its own: Terraform waits for descriptors that
# stay open.
follow() {
  listen slots 4<&0 </dev/null 2>/dev/null
}
# Creates the FIFOs for later launches; the last one means that all exist. A server at its end
# removes its socket first: without it, nobody else removes what was created here.
slots() {
  exec >/dev/null
  # Slots need many files, and the server's other work needs the rest.
  # shellcheck disable=SC3045 # every known sh has -n
  case $(ulimit -n) in ? | ?? | 1?? | 2[0-4]?) return ;; esac
  enter && mkfifo -m 600 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 control
  [ -S s ] || clear
}
# Takes a slot of the running server, which identifies the slot's owner by descriptor 4.
join() {
  if enter; then
    set -C
    for slot in [1-9]*; do
      # Whoever has made it, or a link to it, may answer as the provider.
      [ -L "$slot" ] && continue
      [ -p "$slot" ] || continue
      [ -O "$slot" ] || continue
      printf '%s\n' "$$" "$here/main.cjs" "$PLUGIN_CLIENT_CERT" >"c$slot" || continue
      # A failed redirection of a function does not end the shell, unlike that of exec.
      # shellcheck disable=SC2094 # a FIFO: opening it for both does not wait
      take 3<>"$slot" 4<"$slot" 5<>control
      break
    done
    set +C
    cd "$back" || exit 1
  fi 2>/dev/null
}
# Waits at the slot's reading end alone, so that it ends with the server: `command exec` would leave
# another end open in bash 3.2. `control` stays open: a FIFO that nobody has open forgets what was
# written, and the server may open it later.
take() {
  exec 3>&-
  printf '%s\n' "$slot" >&5
  listen
}
# Enters the folder and checks its owner. From inside, its files are found even if somebody replaces
# the folder.
enter() {
  back=$PWD
  cd -P "$folder" || return
  [ "$PWD" = "$folder" ] && [ -O . ] && return
  cd "$back" || exit 1
  return 1
}
# Removes the folder of a killed server: from inside, and by names, whatever has replaced it.
clear() {
  enter && rm -f s control [1-9]* c[1-9]* .[1-9]* && cd / && rmdir "$folder"
}
# Prints the server's handshake line, and waits until the server lets it end.
listen() {
  read -r line <&4 || return
  case $line in '1|'*) ;; *) return 1 ;; esac
  printf '%s\n' "$line" || return
  "$@"
  # Without a line, the server was killed.
  read -r line <&4 || clear
  exit 0
}

# Only TLS distinguishes the clients; and one server cannot write into the logs of several launches.
if [ "${__HANDOVER_VARIABLE__-1}" = 1 ] && [ -n "${PLUGIN_CLIENT_CERT-}" ] &&
  [ -z "${TF_LOG-}${TF_LOG_PROVIDER-}" ]; then handover; fi
exec __NODE__ __NODE_ARGUMENTS__ "$here/main.cjs"
