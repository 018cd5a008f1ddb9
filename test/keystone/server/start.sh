#!/usr/bin/env bash
# Starts a real OpenStack Keystone (Debian's python3-keystone, SQLite, Fernet)
# on loopback, mounted under /identity. Idempotent. Prints ONE JSON line.
#
#   KEYSTONE_DATA            all state: config, keys, DB, logs, pid (required: an owner-only folder)
#   KEYSTONE_PORT            loopback port (15000)
#   KEYSTONE_TOKEN_SECONDS   token lifetime, [token] expiration (86400)
#   KEYSTONE_WORKERS         server processes (1), one thread each: threads share a field of its
#                            middleware (auth_context.py, self.token), and so act now and then with
#                            the token of the request of another
#   KEYSTONE_BCRYPT_ROUNDS   password_hash_rounds (Keystone's own default, 12; 4 is the least)
#   KEYSTONE_TLS             1: https with a throw-away CA (data/tls/ca.pem)
#   KEYSTONE_MORE_USERS      so many service users more, more-0 and so on, each with the access area
#                            Account (0)
#   KEYSTONE_CATALOG         services of the catalog besides the identity service, as JSON ([])
#   KEYSTONE_FRONT_PORT      another port, where Apache with mod_auth_openidc is in front of it and
#                            lets identity tokens in (off; needs apache2-bin and
#                            libapache2-mod-auth-openidc)
#   KEYSTONE_EXTRA_CONF      text appended to keystone.conf (off)
#   KEYSTONE_END_WITH        a process id: the server ends itself when that process is gone (off)
#   KEYSTONE_INSTALL         1: missing packages are installed by apt-get (otherwise: exit code 3)
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
data="$(realpath -m "${KEYSTONE_DATA:?the folder for all state}")"
port="${KEYSTONE_PORT:-15000}"
seconds="${KEYSTONE_TOKEN_SECONDS:-86400}"
workers="${KEYSTONE_WORKERS:-1}"
rounds="${KEYSTONE_BCRYPT_ROUNDS:-12}"
tls="${KEYSTONE_TLS:-0}"
front="${KEYSTONE_FRONT_PORT:-}"
extra="${KEYSTONE_EXTRA_CONF:-}"
account="123456"
py=/usr/bin/python3 # Debian's own, never a pyenv/venv shim
umask 077

t0=$(date +%s.%N)
lap() { echo "[start.sh] $($py -c "import time; print(round(time.time() - $t0, 2))") s $*" >&2; }

# --- 1. packages -----------------------------------------------------------
packages=(python3-keystone gunicorn)
[ -z "$front" ] || packages+=(apache2-bin libapache2-mod-auth-openidc)
missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] \
    || missing+=("$p")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "${KEYSTONE_INSTALL:-0}" != 1 ]; then echo "not installed: ${missing[*]}" >&2; exit 3; fi
  # python3-keystone is the library only: no dbconfig question, no service.
  install=(apt-get install -y --no-install-recommends
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "${missing[@]}")
  export DEBIAN_FRONTEND=noninteractive
  # An image without package lists, or with old ones, needs them first.
  "${install[@]}" </dev/null >&2 \
    || { apt-get update </dev/null >&2 && "${install[@]}" </dev/null >&2; }
  lap "packages installed: ${missing[*]}"
fi

unset PYTHONPATH PYTHONHOME VIRTUAL_ENV OS_KEYSTONE_CONFIG_FILES || true
export PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY || true

# --- 2. config -------------------------------------------------------------
mkdir -p "$data"/{etc,fernet-keys,credential-keys,log,run}
scheme=http; [ "$tls" = 1 ] && scheme=https
base="$scheme://127.0.0.1:$port/identity"
pidfile="$data/run/keystone.pid"
conf="$data/etc/keystone.conf"

cat >"$conf.new" <<CONF
[DEFAULT]
log_file = $data/log/keystone.log
use_stderr = false
[database]
connection = sqlite:///$data/keystone.db
sqlite_synchronous = false
[token]
provider = fernet
expiration = $seconds
[fernet_tokens]
key_repository = $data/fernet-keys
[credential]
key_repository = $data/credential-keys
[identity]
password_hash_rounds = $rounds
[oslo_messaging_notifications]
driver = noop
[auth]
methods = external,password,token,mapped,application_credential,openid,totp
$extra
CONF
settings="port=$port workers=$workers tls=$tls front=$front"

answer() {
  $py - "$base" "$data" "$pidfile" "$account" "$seconds" "$tls" "$scheme" "$front" <<'PY'
import json, os, sys
base, data, pidfile, account, seconds, tls, scheme, front = sys.argv[1:]
cred = json.load(open(f"{data}/credentials.json"))
print(json.dumps({
    "base_url": base,
    "token_url": base + "/v3/auth/tokens",
    "auth_url": base[: -len("/identity")],
    "account": account,
    "projects": {"permitted": "project-a", "forbidden": "project-b"},
    "users": cred["users"],
    "admin": {"name": "admin", "domain": "Default", "project": "admin", "password": cred["admin"]},
    "front": {"auth_url": f"{scheme}://127.0.0.1:{front}",
              "key_file": f"{data}/front/key.pem"} if front else None,
    "token_seconds": int(seconds),
    "ca_file": f"{data}/tls/ca.pem" if tls == "1" else None,
    "pid": int(open(pidfile).read()),
    "pid_file": pidfile,
    "log": f"{data}/log/keystone.log",
}, ensure_ascii=False))
PY
}
probe() { # 0 when OUR pid is alive and Keystone answers
  [ -s "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null || return 1
  curl -fsS -m 5 --noproxy '*' ${tls:+$([ "$tls" = 1 ] && echo --cacert "$data/tls/ca.pem")} \
    -o /dev/null "$base/v3" 2>/dev/null
}

if [ -f "$conf" ] && cmp -s "$conf" "$conf.new" \
   && [ "$(cat "$data/run/settings" 2>/dev/null)" = "$settings" ] \
   && [ -f "$data/.provisioned" ] && probe; then
  rm -f "$conf.new"; lap "already running"; answer; exit 0
fi
KEYSTONE_DATA="$data" "$here/stop.sh" >&2 || true
mv "$conf.new" "$conf"; echo "$settings" >"$data/run/settings"

if [ "$tls" = 1 ] && [ ! -f "$data/tls/server.pem" ]; then
  mkdir -p "$data/tls"; ( cd "$data/tls"
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=test CA" \
      -keyout ca.key -out ca.pem \
      -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
    openssl req -newkey rsa:2048 -nodes -subj "/CN=127.0.0.1" -keyout server.key -out server.csr
    printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' >server.ext
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
      -days 30 -extfile server.ext -out server.pem
  ) >/dev/null 2>&1
fi

# the hash cost is fixed when a password is set, and the catalog holds the URL:
# a changed one means a new database (the credentials stay)
made="rounds=$rounds base=$base"
if [ -f "$data/.made" ] && [ "$(cat "$data/.made")" != "$made" ]; then
  rm -f "$data"/keystone.db* "$data/.bootstrapped" "$data/.provisioned"
fi
echo "$made" >"$data/.made"

# --- 3. secrets, database, keys, bootstrap (once per data folder) -----------
if [ ! -s "$data/credentials.json" ]; then
  $py - >"$data/credentials.json.new" <<'PY'
import json, os, secrets
p = lambda: secrets.token_urlsafe(18)
more = {f"more-{n}": {"password": p(), "domain_role": True}
        for n in range(int(os.environ.get("KEYSTONE_MORE_USERS") or 0))}
print(json.dumps({"account": "123456", "admin": p(), "users": {
    "svc": {"password": p(), "domain_role": True, "projects": ["project-a"]},
    "svc-projects-only": {"password": p(), "projects": ["project-a"]},
    "svc-disabled": {"password": p(), "domain_role": True, "projects": ["project-a"],
                     "enabled": False},
    "svc-ünïcode-用户": {"password": "pä\"ss\\wörd-密码-🔑-" + p(), "domain_role": True,
                         "projects": ["project-a"]},
    "svc-no-permission": {"password": p()},
    "svc-long-password": {"password": "ä" * 40 + p(), "domain_role": True},
    "svc-lockout": {"password": p(), "domain_role": True, "lockable": True},
    "svc-changing": {"password": p(), "domain_role": True},
    "svc-leaving": {"password": p(), "domain_role": True},
    "svc-expiring": {"password": p(), "domain_role": True,
                     "password_expires_at": "2037-12-31 12:34:56.000000"},
    "svc-expired": {"password": p(), "domain_role": True,
                    "password_expires_at": "2020-01-31 12:34:56.000000"},
    "svc-validating": {"password": p(), "domain_role": True, "service_role": True},
    "svc-with-credential": {"password": p(), "domain_role": True},
    "svc-second-factor": {"password": p(), "domain_role": True, "second_factor": True},
    **more,
}}, ensure_ascii=False))
PY
  mv "$data/credentials.json.new" "$data/credentials.json"
fi
km() { /usr/bin/keystone-manage --config-file "$conf" "$@" >>"$data/log/manage.log" 2>&1; }
if [ ! -f "$data/.bootstrapped" ]; then
  # Each is mostly the start of Python: side by side.
  owner=(--keystone-user "$(id -un)" --keystone-group "$(id -gn)")
  km db_sync & made_db=$!
  km fernet_setup "${owner[@]}" & made_fernet=$!
  km credential_setup "${owner[@]}" & made_credential=$!
  wait "$made_db"; wait "$made_fernet"; wait "$made_credential"
  # Keystone leaves a read transaction open after a success; with SQLite's default
  # journal every later write (wrong password, revocation) then waits 5 s and
  # answers 500 "database is locked". With WAL readers do not block writers.
  $py -c '
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA journal_mode=WAL").fetchone())
' "$data/keystone.db" >&2
  lap "database and keys"
  read_admin='import json,sys;print(json.load(open(sys.argv[1]))["admin"])'
  OS_BOOTSTRAP_PASSWORD="$($py -c "$read_admin" "$data/credentials.json")" \
    km bootstrap --bootstrap-region-id RegionOne \
      --bootstrap-public-url "$base/v3" --bootstrap-internal-url "$base/v3" \
      --bootstrap-admin-url "$base/v3"
  touch "$data/.bootstrapped"; lap "bootstrap"
fi

# --- 4. server ---------------------------------------------------------------
$py - "$port" <<'PY' || { echo "port $port is taken by somebody else" >&2; exit 1; }
import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try: s.bind(("127.0.0.1", int(sys.argv[1])))
except OSError: sys.exit(1)
PY
tlsargs=()
[ "$tls" = 1 ] && tlsargs=(--certfile "$data/tls/server.pem" --keyfile "$data/tls/server.key")
OS_KEYSTONE_CONFIG_DIR="$data/etc" KEYSTONE_MOUNT=/identity \
KEYSTONE_FRONT_PID="$data/front/apache.pid" \
KEYSTONE_WRITE_LOCK="$([ "${KEYSTONE_NO_WRITE_LOCK:-}" = 1 ] || echo "$data/run/write.lock")" \
setsid $py /usr/bin/gunicorn --chdir "$here" --bind "127.0.0.1:$port" \
  --workers "$workers" --worker-class gthread --threads 1 --keep-alive 5 --timeout 60 \
  --pid "$pidfile" --name keystone --worker-tmp-dir "$data/run" \
  "${tlsargs[@]}" --access-logfile "$data/log/access.log" --error-logfile "$data/log/gunicorn.log" \
  keystone_app:application </dev/null >>"$data/log/gunicorn.log" 2>&1 &
child=$!
deadline=$((SECONDS + ${KEYSTONE_START_SECONDS:-60}))
while ! probe && [ "$SECONDS" -lt "$deadline" ]; do
  kill -0 "$child" 2>/dev/null || {
    echo "keystone died; tail of $data/log/gunicorn.log:" >&2
    tail -30 "$data/log/gunicorn.log" >&2
    exit 1
  }
  sleep 0.1
done
probe || {
  echo "keystone did not answer in time; tail of its log:" >&2
  tail -30 "$data/log/gunicorn.log" >&2
  KEYSTONE_DATA="$data" "$here/stop.sh" >&2
  exit 1
}
lap "server answers"

# --- 5. account, projects, users, roles --------------------------------------
if [ ! -f "$data/.provisioned" ]; then
  $py "$here/provision.py" "$base" "$data/credentials.json" \
    $([ "$tls" = 1 ] && echo "$data/tls/ca.pem")
  # The API takes no time of a password's end.
  $py - "$data" <<'PY'
import datetime, json, sqlite3, sys
data = sys.argv[1]
ids = json.load(open(f"{data}/credentials.json.ids"))
with sqlite3.connect(f"{data}/keystone.db", timeout=30) as db:
    for name, user in json.load(open(f"{data}/credentials.json"))["users"].items():
        if "password_expires_at" in user:
            at = user["password_expires_at"]
            micros = int(datetime.datetime.fromisoformat(at + "+00:00").timestamp()) * 1_000_000
            db.execute("UPDATE password SET expires_at = ?, expires_at_int = ? WHERE local_user_id ="
                       " (SELECT id FROM local_user WHERE user_id = ?)", (at, micros, ids[name]))
PY
  touch "$data/.provisioned"; lap "provisioned"
fi

# --- 6. Apache in front --------------------------------------------------------
if [ -n "$front" ]; then
  mkdir -p "$data/front"
  [ -s "$data/front/key.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 30 \
    -subj /CN=issuer -keyout "$data/front/key.pem" -out "$data/front/cert.pem" 2>/dev/null
  defines=(); [ "$(id -u)" != 0 ] || defines+=(-D ROOT); [ "$tls" = 0 ] || defines+=(-D TLS)
  FRONT="$data/front" FRONT_PORT="$front" FRONT_PASSPHRASE="$(openssl rand -hex 16)" \
  FRONT_TLS="$data/tls" UPSTREAM="$base" /usr/sbin/apache2 -f "$here/apache.conf" \
    -c "PidFile $data/front/apache.pid" "${defines[@]}"
  until curl -sS -m 5 -o /dev/null --noproxy '*' -k "$scheme://127.0.0.1:$front/identity/v3"; do
    [ "$SECONDS" -lt "$deadline" ] || { tail -30 "$data/front/error.log" >&2; exit 1; }
    sleep 0.1
  done
  lap "Apache answers"
fi
answer
