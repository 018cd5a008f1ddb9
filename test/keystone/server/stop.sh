#!/usr/bin/env bash
# Stops what start.sh left running (by the pids in its files only): Apache in front, and Keystone.
set -euo pipefail
data="$(realpath -m "${KEYSTONE_DATA:?the folder that start.sh was given}")"

# stop_by PIDFILE WORDS
stop_by() {
  local pidfile="$1" words="$2" pid
  [ -s "$pidfile" ] || { echo "not running (no pid file)"; return 0; }
  pid="$(cat "$pidfile")"
  # a stale file may name somebody else's process: only ours has our pid file in its command line
  if ! tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$words"; then
    rm -f "$pidfile"; echo "not running (stale pid file removed)"; return 0
  fi
  kill -TERM "$pid"
  for _ in $(seq 1 300); do
    kill -0 "$pid" 2>/dev/null || { rm -f "$pidfile"; echo "stopped $pid"; return 0; }
    sleep 0.1
  done
  # With its workers: both lead a process group.
  kill -KILL -- "-$pid"; rm -f "$pidfile"; echo "killed $pid"
}

[ ! -d "$data/front" ] || stop_by "$data/front/apache.pid" "PidFile $data/front/apache.pid"
stop_by "$data/run/keystone.pid" "--pid $data/run/keystone.pid"
