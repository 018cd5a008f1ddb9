"""Says for each line of stdin, as JSON, where the real keystoneauth signs in; null if it does not.

A line: [address, [[URL, status, headers, body], …]]. The service answers a GET by its list; a slash at the end of a URL is the same.
"""

import json
import logging
import sys

import requests
from keystoneauth1 import session
from keystoneauth1.identity import generic

logging.disable(logging.CRITICAL)


class Service(requests.adapters.BaseAdapter):
    def __init__(self, answers):
        super().__init__()
        self.answers = {url.rstrip("/"): rest for url, *rest in answers}
        self.signed_in = None

    def send(self, request, **_):
        answer = requests.Response()
        answer.request, answer.url = request, request.url
        if request.method == "GET":
            status, headers, body = self.answers.get(request.url.rstrip("/"), (404, {}, ""))
        else:
            self.signed_in = request.url
            status, headers, body = 401, {}, ""
        answer.status_code, answer._content = status, body.encode()
        answer.headers.update(headers)
        answer.raw = type("Raw", (), {"release_conn": lambda self: None, "headers": {}})()
        return answer

    def close(self):
        pass


for line in sys.stdin:
    address, answers = json.loads(line)
    service = Service(answers)
    http = requests.Session()
    http.trust_env = False
    http.mount("https://", service)
    http.mount("http://", service)
    plugin = generic.Password(
        auth_url=address, username="u", password="p", user_domain_name="d", project_name="p", project_domain_name="d"
    )
    try:
        plugin.get_access(session.Session(session=http))
    except Exception:
        pass
    print(json.dumps(service.signed_in), flush=True)
