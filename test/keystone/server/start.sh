#!/usr/bin/env bash
# Starts a real OpenStack Keystone (Debian's python3-keystone, SQLite, Fernet) on loopback, by https
# with a throw-away CA, mounted under /identity, in a new folder. Prints ONE JSON line.
#
#   KEYSTONE_DATA            all state: config, keys, DB, logs, pid (required: an owner-only folder)
#   KEYSTONE_PORT            loopback port (required)
#   KEYSTONE_FRONT_PORT      another port, where Apache with mod_auth_openidc is in front of it and
#                            lets identity tokens in (off; needs apache2-bin and
#                            libapache2-mod-auth-openidc)
#   KEYSTONE_END_WITH        a process id: the server ends itself when that process is gone
#   KEYSTONE_INSTALL         1: missing packages are installed by apt-get (otherwise: exit code 3)
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
data="$(realpath -m "${KEYSTONE_DATA:?the folder for all state}")"
port="${KEYSTONE_PORT:?a loopback port}"
front="${KEYSTONE_FRONT_PORT:-}"
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
mkdir -p "$data"/{etc,fernet-keys,credential-keys,log,run,tls}
base="https://127.0.0.1:$port/identity"
pidfile="$data/run/keystone.pid"
conf="$data/etc/keystone.conf"

# 4 rounds are the least that bcrypt has: the tests are not about its cost.
cat >"$conf" <<CONF
[DEFAULT]
log_file = $data/log/keystone.log
use_stderr = false
[database]
connection = sqlite:///$data/keystone.db
sqlite_synchronous = false
[token]
provider = fernet
expiration = 86400
[fernet_tokens]
key_repository = $data/fernet-keys
[credential]
key_repository = $data/credential-keys
[identity]
password_hash_rounds = 4
[oslo_messaging_notifications]
driver = noop
[auth]
methods = external,password,token,totp,mapped,application_credential,openid
CONF

probe() { # 0 when Keystone answers
  curl -fsS -m 5 --noproxy '*' --cacert "$data/tls/ca.pem" -o /dev/null "$base/v3" 2>/dev/null
}

( cd "$data/tls"
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=test CA" \
    -keyout ca.key -out ca.pem \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
  openssl req -newkey rsa:2048 -nodes -subj "/CN=127.0.0.1" -keyout server.key -out server.csr
  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' >server.ext
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
    -days 30 -extfile server.ext -out server.pem
) >/dev/null 2>&1

# --- 3. secrets, database, keys, bootstrap -----------------------------------
$py - >"$data/credentials.json" <<'PY'
import json, secrets
p = lambda: secrets.token_urlsafe(18)
everywhere = {"domain_role": True, "projects": ["project-a"]}
print(json.dumps({"account": "123456", "admin": p(), "users": {
    "svc": {"password": p(), **everywhere},
    "svc-projects-only": {"password": p(), "projects": ["project-a"]},
    "svc-disabled": {"password": p(), **everywhere, "enabled": False},
    "svc-ünïcode-用户": {"password": "pä\"ss\\wörd-密码-🔑-" + p(), **everywhere},
    "svc-no-permission": {"password": p()},
    "svc-first-password": {"password": p(), **everywhere,
                           "options": {"ignore_password_expiry": False}},
    "svc-ending-password": {"password": p(), **everywhere,
                            "options": {"ignore_password_expiry": False}, "second": True},
    "svc-second-factor": {"password": p(), **everywhere, "options": {
        "multi_factor_auth_enabled": True, "multi_factor_auth_rules": [["password", "totp"]]}},
    "svc-changing": {"password": p(), "projects": ["project-b"]},
    "partner": {"password": p(), "account": "654321", **everywhere},
}}, ensure_ascii=False))
PY
km() { /usr/bin/keystone-manage --config-file "$conf" "$@" >>"$data/log/manage.log" 2>&1; }
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
lap "bootstrap"
# Not for the administrator's own password. Users of the tests have options against both.
cat >>"$conf" <<CONF
[security_compliance]
change_password_upon_first_use = true
password_expires_days = 7
CONF

# --- 4. server ---------------------------------------------------------------
# One thread a worker: threads share a field of Keystone's middleware (auth_context.py, self.token),
# and so act now and then with the token of the request of another.
OS_KEYSTONE_CONFIG_DIR="$data/etc" KEYSTONE_FRONT_PID="$data/front/apache.pid" \
KEYSTONE_WRITE_LOCK="$data/run/write.lock" \
setsid $py /usr/bin/gunicorn --chdir "$here" --bind "127.0.0.1:$port" \
  --workers 2 --worker-class gthread --threads 1 --keep-alive 5 --timeout 60 --graceful-timeout 5 \
  --pid "$pidfile" --name keystone --worker-tmp-dir "$data/run" \
  --certfile "$data/tls/server.pem" --keyfile "$data/tls/server.key" \
  --access-logfile "$data/log/access.log" --error-logfile "$data/log/gunicorn.log" \
  keystone_app:application </dev/null >>"$data/log/gunicorn.log" 2>&1 &
child=$!
# Five seconds each on an idle machine; on a busy one, twenty times as long.
deadline=$((SECONDS + 120))
until probe; do
  kill -0 "$child" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ] || {
    echo "Keystone died, or does not answer; tail of $data/log/gunicorn.log:" >&2
    tail -30 "$data/log/gunicorn.log" >&2
    exit 1
  }
  sleep 0.1
done
lap "server answers"

# --- 5. account, projects, users, roles --------------------------------------
$py "$here/provision.py" "$base" "$data/credentials.json" "$data/tls/ca.pem"
lap "provisioned"

# --- 6. Apache in front --------------------------------------------------------
if [ -n "$front" ]; then
  mkdir -p "$data/front"
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=issuer \
    -keyout "$data/front/key.pem" -out "$data/front/cert.pem" 2>/dev/null
  defines=(); [ "$(id -u)" != 0 ] || defines+=(-D ROOT)
  FRONT="$data/front" FRONT_PORT="$front" FRONT_PASSPHRASE="$(openssl rand -hex 16)" \
  FRONT_TLS="$data/tls" UPSTREAM="$base" /usr/sbin/apache2 -f "$here/apache.conf" \
    -c "PidFile $data/front/apache.pid" "${defines[@]}"
  deadline=$((SECONDS + 120))
  until curl -sS -m 5 -o /dev/null --noproxy '*' -k "https://127.0.0.1:$front/identity/v3"; do
    [ "$SECONDS" -lt "$deadline" ] || { tail -30 "$data/front/error.log" >&2; exit 1; }
    sleep 0.1
  done
  lap "Apache answers"
fi

$py - "$port" "$data" "$front" <<'PY'
import json, sys
port, data, front = sys.argv[1:]
print(json.dumps({
    "auth_url": f"https://127.0.0.1:{port}",
    **json.load(open(f"{data}/credentials.json")),
    "ca_file": f"{data}/tls/ca.pem",
    "front": {"auth_url": f"https://127.0.0.1:{front}",
              "key_file": f"{data}/front/key.pem"} if front else None,
}, ensure_ascii=False))
PY
