"""Says for each line of stdin, a set-up as JSON, what the real openstacksdk asks the identity service, as JSON.

A set-up: {"folder": current folder, "variables": the whole environment, "cloud": name or null}.
The service is played by the library's own HTTP client: it answers as a Keystone that has only v3.
"""

import importlib
import json
import logging
import os
import re
import sys
import warnings

import requests

import openstack.config.loader as loader

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

DOMAIN = {"id": "d", "name": "d"}
TOKEN = {
    "methods": [],
    "user": {"id": "u", "name": "u", "domain": DOMAIN},
    "issued_at": "2026-01-01T00:00:00.000000Z",
    "expires_at": "2099-01-01T00:00:00.000000Z",
}


class Service(requests.adapters.BaseAdapter):
    def __init__(self):
        super().__init__()
        self.asked = []

    def send(self, request, **_):
        answer = requests.Response()
        answer.request, answer.url = request, request.url
        if request.method == "GET":
            v3 = re.sub(r"(/v[0-9.]+)?/?$", "", request.url) + "/v3/"
            version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": v3}]}
            answer.status_code, content = 200, {"versions": {"values": [version]}}
        else:
            body = json.loads(request.body) if request.body else None
            bearer = request.headers.get("Authorization")
            self.asked.append({"url": request.url, "bearer": bearer, "body": body})
            answer.status_code, content = 201, {"token": TOKEN}
            answer.headers["X-Subject-Token"] = "unscoped"
        answer.headers["Content-Type"] = "application/json"
        answer._content = json.dumps(content).encode()
        return answer

    def close(self):
        pass


def asked(set_up):
    os.chdir(set_up["folder"])
    os.environ.clear()
    os.environ.update(set_up["variables"])
    # Where it looks is decided when the module is read.
    region = importlib.reload(loader).OpenStackConfig().get_one(cloud=set_up["cloud"])
    session, service = region.get_session(), Service()
    session.session = requests.Session()
    session.session.mount("http://", service)
    session.session.mount("https://", service)
    session.get_token()
    verify, cert = region.get_requests_verify_args()
    cert, key = cert if isinstance(cert, tuple) else (cert, None)
    path = lambda text: os.path.abspath(text) if isinstance(text, str) else None
    return {"asked": service.asked, "files": [path(verify), path(cert), path(key)]}


for line in sys.stdin:
    try:
        answer = asked(json.loads(line))
    except Exception as error:
        answer = {"fails": type(error).__name__}
    print(json.dumps(answer), flush=True)
