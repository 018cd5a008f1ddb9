"""Signs in with keystoneauth, and validates with keystonemiddleware as a service does.

usage: openstack-clients.py AUTH_URL, with PASSWORD and SERVICE_PASSWORD in the environment
"""
import json
import logging
import os
import sys

from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3
from keystonemiddleware import auth_token
from webob import Request, Response, dec

logging.disable(logging.CRITICAL)
url = sys.argv[1]
domain = "123456"


def sign_in(password=os.environ["PASSWORD"], **scope):
    return session.Session(auth=v3.Password(
        auth_url=url, username="deployer", password=password, user_domain_name=domain, **scope))


@dec.wsgify
def service(request):
    return Response(json={name: request.headers.get(f"X-{name}") for name in (
        "User-Name", "Project-Name", "Project-Domain-Name", "Roles", "Identity-Status")})


# A service's own user looks at each token; nothing is kept, so that a revocation shows at once.
protected = auth_token.filter_factory(
    {}, auth_type="password", auth_url=url, www_authenticate_uri=url, username="nova",
    password=os.environ["SERVICE_PASSWORD"], user_domain_name=domain, project_name="services",
    project_domain_name=domain, token_cache_time="-1")(service)


def refused(ask):
    try:
        return ask()
    except exceptions.ClientException as error:
        return type(error).__name__


def call(token):
    headers = {} if token is None else {"X-Auth-Token": token}
    answer = Request.blank("/", headers=headers).get_response(protected)
    return answer.json if answer.status_int == 200 else answer.status_int


project = sign_in(project_name="web", project_domain_name=domain)
account = sign_in(domain_name=domain)
token = project.get_token()
found = {
    "wrong": refused(sign_in(password="wrong", domain_name=domain).get_token),
    "compute": project.get_endpoint(service_type="compute", interface="public"),
    "object-store": refused(lambda: account.get_endpoint(service_type="object-store")),
    "projects": [p["name"] for p in project.get(f"{url}/auth/projects").json()["projects"]],
    "called": call(token),
    "garbage": call("garbage"),
    "none": call(None),
}
project.delete(f"{url}/auth/tokens", headers={"X-Subject-Token": token})
found["revoked"] = call(token)
print(json.dumps(found))
