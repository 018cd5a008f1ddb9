"""Provisions a new, running Keystone by plain HTTP (stdlib only).

usage: provision.py BASE_URL CREDENTIALS_JSON CA_FILE
"""
import json
import ssl
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

base, cred_file, ca_file = sys.argv[1:]
ctx = ssl.create_default_context(cafile=ca_file)
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


def make(kind, want):
    return call("POST", f"/v3/{kind}s", {kind: want}, admin)[2][kind]["id"]


account = make("domain", {"name": cred["account"], "enabled": True})
# Of users elsewhere, with roles in the account.
abroad = {name: make("domain", {"name": name, "enabled": True})
          for name in {u["account"] for u in cred["users"].values() if "account" in u}}
projects = {name: make("project", {"name": name, "domain_id": account})
            for name in ("project-a", "project-b")}
# Keystone's bootstrap makes it.
member = call("GET", "/v3/roles?name=member", token=admin)[2]["roles"][0]["id"]


# The access area Account permits the account and every project of it: the role is inherited as well.
def permit_account(who):
    call("PUT", f"/v3/domains/{account}/{who}/roles/{member}", token=admin)
    call("PUT", f"/v3/OS-INHERIT/domains/{account}/{who}/roles/{member}/inherited_to_projects",
         token=admin)


def permit_project(name, who):
    call("PUT", f"/v3/projects/{projects[name]}/{who}/roles/{member}", token=admin)


def make_user(item):
    name, u = item
    user = make("user", {"name": name, "domain_id": abroad.get(u.get("account"), account),
                         "password": u["password"],
                         "enabled": u.get("enabled", True),
                         # Service users are never locked, whatever the rows of the tests try.
                         "options": {"ignore_lockout_failure_attempts": True,
                                     "ignore_change_password_upon_first_use": True,
                                     "ignore_password_expiry": True, **u.get("options", {})}})
    # A first password has to be changed, whatever the options of a user that is being made.
    if u.get("second"):
        call("PATCH", f"/v3/users/{user}", {"user": {"password": u["password"]}}, admin)
    if u.get("domain_role"):
        permit_account(f"users/{user}")
    for p in u.get("projects", []):
        permit_project(p, f"users/{user}")


with ThreadPoolExecutor(4) as pool:
    list(pool.map(make_user, cred["users"].items()))


# Issuers of identity tokens, each with a group: https://keystone.example is the audience that the second one has to name.
FEDERATION = "/v3/OS-FEDERATION"
for provider, issuer, audience, project in (
    ("ci", "https://issuer.example", None, None),
    ("ci-projects", "https://projects.issuer.example", "https://keystone.example", "project-a"),
):
    group = make("group", {"name": provider, "domain_id": account})
    if project:
        permit_project(project, f"groups/{group}")
    else:
        permit_account(f"groups/{group}")
    call("PUT", f"{FEDERATION}/identity_providers/{provider}",
         {"identity_provider": {"remote_ids": [issuer], "enabled": True}}, admin)
    remote = [{"type": "HTTP_OIDC_SUB"}, {"type": "HTTP_OIDC_ISS", "any_one_of": [issuer]}]
    if audience:
        remote.append({"type": "HTTP_OIDC_AUD", "any_one_of": [audience]})
    call("PUT", f"{FEDERATION}/mappings/{provider}", {"mapping": {"rules": [
        {"local": [{"user": {"name": "{0}"}, "group": {"id": group}}], "remote": remote}]}}, admin)
    call("PUT", f"{FEDERATION}/identity_providers/{provider}/protocols/openid",
         {"protocol": {"mapping_id": provider, "remote_id_attribute": "HTTP_OIDC_ISS"}}, admin)
