"""Idempotent provisioning of a running Keystone by plain HTTP (stdlib only).

usage: provision.py BASE_URL CREDENTIALS_JSON [CA_FILE]
"""
import json
import os
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

base, cred_file = sys.argv[1], sys.argv[2]
ctx = ssl.create_default_context(cafile=sys.argv[3]) if len(sys.argv) > 3 else None
cred = json.load(open(cred_file))


def call(method, path, body=None, token=None):
    req = urllib.request.Request(
        base + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **({"X-Auth-Token": token} if token else {})},
    )
    try:
        with urllib.request.urlopen(req, context=ctx) as r:
            raw = r.read()
            return r.status, r.headers, json.loads(raw) if raw else None
    except urllib.error.HTTPError as e:
        raise SystemExit(f"{method} {path}: {e.code} {e.read().decode()}")


_, h, _ = call("POST", "/v3/auth/tokens", {"auth": {
    "identity": {"methods": ["password"], "password": {"user": {
        "name": "admin", "domain": {"id": "default"}, "password": cred["admin"]}}},
    "scope": {"system": {"all": True}}}})
admin = h["X-Subject-Token"]


def ensure(kind, plural, want, **query):
    q = urllib.parse.urlencode({"name": want["name"], **query})
    _, _, got = call("GET", f"/v3/{plural}?{q}", token=admin)
    if got[plural]:
        return got[plural][0]["id"]
    _, _, made = call("POST", f"/v3/{plural}", {kind: want}, admin)
    return made[kind]["id"]


account = ensure("domain", "domains", {"name": cred["account"], "enabled": True})
ids = {"domain": account}
for p in ("project-a", "project-b"):
    ids[p] = ensure("project", "projects", {"name": p, "domain_id": account}, domain_id=account)
member = ensure("role", "roles", {"name": "member"})
# Keystone's policy lets this role validate other users' tokens.
service = ensure("role", "roles", {"name": "service"})
for s in json.loads(os.environ.get("KEYSTONE_CATALOG") or "[]"):
    want = {k: v for k, v in s.items() if k in ("type", "name") and v}
    _, _, made = call("POST", "/v3/services", {"service": want}, admin)
    for e in s["endpoints"]:
        want = {k: v for k, v in e.items() if v is not None}
        call("POST", "/v3/endpoints", {"endpoint": {**want, "service_id": made["service"]["id"]}}, admin)


def ensure_user(item):
    name, u = item
    want = {"name": name, "domain_id": account, "password": u["password"],
            "enabled": u.get("enabled", True)}
    # never lock, expire or demand change for service users, whatever the config says
    want["options"] = {"ignore_lockout_failure_attempts": not u.get("lockable", False),
                       "ignore_password_expiry": "password_expires_at" not in u,
                       "ignore_change_password_upon_first_use": True}
    if u.get("second_factor"):
        want["options"].update(multi_factor_auth_enabled=True,
                               multi_factor_auth_rules=[["password", "totp"]])
    ids[name] = ensure("user", "users", want, domain_id=account)
    roles = [member] * bool(u.get("domain_role")) + [service] * bool(u.get("service_role"))
    for role in roles:
        call("PUT", f"/v3/domains/{account}/users/{ids[name]}/roles/{role}", token=admin)
        # The access area Account permits the account and every project of it: the role is inherited as well.
        call("PUT", f"/v3/OS-INHERIT/domains/{account}/users/{ids[name]}/roles/{role}/inherited_to_projects", token=admin)
    for p in u.get("projects", []):
        call("PUT", f"/v3/projects/{ids[p]}/users/{ids[name]}/roles/{member}", token=admin)


with ThreadPoolExecutor(4) as pool:
    list(pool.map(ensure_user, cred["users"].items()))


# Issuers of identity tokens, each with a group: https://keystone.example is the audience that the second one has to name.
FEDERATION = "/v3/OS-FEDERATION"
for provider, issuer, audience, projects in (
    ("ci", "https://issuer.example", None, []),
    ("ci-projects", "https://projects.issuer.example", "https://keystone.example", ["project-a"]),
):
    group = ensure("group", "groups", {"name": provider, "domain_id": account}, domain_id=account)
    for p in projects:
        call("PUT", f"/v3/projects/{ids[p]}/groups/{group}/roles/{member}", token=admin)
    if not projects:
        call("PUT", f"/v3/domains/{account}/groups/{group}/roles/{member}", token=admin)
        call("PUT", f"/v3/OS-INHERIT/domains/{account}/groups/{group}/roles/{member}/inherited_to_projects", token=admin)
    call("PUT", f"{FEDERATION}/identity_providers/{provider}",
         {"identity_provider": {"remote_ids": [issuer], "enabled": True}}, admin)
    remote = [{"type": "HTTP_OIDC_SUB"}, {"type": "HTTP_OIDC_ISS", "any_one_of": [issuer]}]
    if audience:
        remote.append({"type": "HTTP_OIDC_AUD", "any_one_of": [audience]})
    call("PUT", f"{FEDERATION}/mappings/{provider}", {"mapping": {"rules": [
        {"local": [{"user": {"name": "{0}"}, "group": {"id": group}}], "remote": remote}]}}, admin)
    call("PUT", f"{FEDERATION}/identity_providers/{provider}/protocols/openid",
         {"protocol": {"mapping_id": provider, "remote_id_attribute": "HTTP_OIDC_ISS"}}, admin)
json.dump(ids, open(cred_file + ".ids", "w"))
