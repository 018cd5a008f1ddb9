"""Reads set-ups as JSON from stdin, and prints what the real openstacksdk makes of each, as JSON, in the same order.

A set-up: {"folder": current folder, "variables": the whole environment, "cloud": name or null}.
"""

import importlib
import json
import os
import sys
import warnings

import openstack.config.loader as loader

warnings.simplefilter("ignore")


def seen(set_up):
    os.chdir(set_up["folder"])
    os.environ.clear()
    os.environ.update(set_up["variables"])
    # Where it looks is decided when the module is read.
    region = importlib.reload(loader).OpenStackConfig().get_one(cloud=set_up["cloud"])
    auth = region.config["auth"]
    verify, cert = region.get_requests_verify_args()
    cert, key = cert if isinstance(cert, tuple) else (cert, None)
    path = lambda text: None if text is None else os.path.abspath(text)
    return {
        "authUrl": auth.get("auth_url"),
        "who": who(auth),
        "secret": auth.get("password") or auth.get("application_credential_secret") or auth.get("access_token"),
        "account": auth.get("user_domain_name") or auth.get("domain_name") or auth.get("project_domain_name"),
        "project": auth.get("project_name"),
        "ca": path(verify) if isinstance(verify, str) else None,
        "cert": path(cert),
        "key": path(key),
    }


def who(auth):
    if auth.get("application_credential_name"):
        return auth["username"] + "/" + auth["application_credential_name"]
    if auth.get("identity_provider"):
        return auth["identity_provider"] + "/" + auth["protocol"]
    return auth.get("application_credential_id") or auth.get("username")


answers = []
for each in json.load(sys.stdin):
    try:
        answers.append({"sees": seen(each)})
    except Exception as error:
        answers.append({"fails": type(error).__name__})
print(json.dumps(answers, default=str))
