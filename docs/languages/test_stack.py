import json
import os
import secrets
import subprocess

import pytest


@pytest.fixture(scope="session")
def identity_server():
    password = secrets.token_hex(16)
    server = subprocess.Popen(
        ["node_modules/.bin/iam-tokens-identity-server", "--port", "0", "--json"],
        env={**os.environ, "SERVICE_USER_PASSWORD": password},
        stdout=subprocess.PIPE,
        text=True,
    )
    started = json.loads(server.stdout.readline())
    yield {"auth_url": started["authUrl"], "password": password}
    server.terminate()
    assert server.wait() == 0


def test_a_token_is_issued(identity_server):
    environment = {
        **os.environ,
        "OS_AUTH_URL": identity_server["auth_url"],
        "OS_USER_DOMAIN_NAME": "123456",
        "OS_USERNAME": "deployer",
        "OS_PASSWORD": identity_server["password"],
    }
    issued = subprocess.run(
        ["npx", "cdktf-iam-tokens", "issue", "--project", "web"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert len(issued.stdout.strip()) > 20
