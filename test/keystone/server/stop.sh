#!/usr/bin/env bash
# Stops the server start.sh left running (by the pid in its file only).
set -euo pipefail
data="$(realpath -m "${KEYSTONE_DATA:?the folder that start.sh was given}")"
pidfile="$data/run/keystone.pid"
[ -s "$pidfile" ] || { echo "not running (no pid file)"; exit 0; }
pid="$(cat "$pidfile")"
# a stale file may name somebody else's process: only ours has our pid file in its command line
if ! tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "--pid $pidfile"; then
  rm -f "$pidfile"; echo "not running (stale pid file removed)"; exit 0
fi
kill -TERM "$pid"
for _ in $(seq 1 100); do
  kill -0 "$pid" 2>/dev/null || { rm -f "$pidfile"; echo "stopped $pid"; exit 0; }
  sleep 0.1
done
kill -KILL "$pid"; rm -f "$pidfile"; echo "killed $pid"
