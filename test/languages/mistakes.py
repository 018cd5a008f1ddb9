"""One mistake, which the argument names; what the program says is what a user sees."""

import sys

from cdktf import App, DataResource, TerraformStack
from cdktf_iam_tokens import *

app = App()
stack = TerraformStack(app, "main")


def identity(name="deployer", **changes):
    given = {
        "auth_url": "https://cloud.api.example.com",
        "account_id": "123456",
        "service_user": ServiceUser(name=name, password=SecretRef.env("PASSWORD")),
    }
    return IdentityService(stack, "identity", **{**given, **changes})


def token(**changes):
    given = {"identity": identity(), "scope": TokenScope.account()}
    return ServiceUserToken(stack, "web", **{**given, **changes})


MISTAKES = {
    "password": lambda: ServiceUser(name="deployer", password="canary-literal"),
    "no scope": lambda: ServiceUserToken(stack, "web", identity=identity()),
    "scope": lambda: token(scope="web"),
    "resolution": lambda: token(resolution="data"),
    "number": lambda: identity(account_id=123456),
    "empty name": lambda: SecretRef.env(""),
    "empty user": lambda: identity(name=""),
    "no token": lambda: TokenOutputs(stack, "ci", token=stack),
    "camel case": lambda: token(minRemaining="2h"),
    "output": lambda: TokenOutputs(stack, "ci", token=token()),
    "other stack": lambda: DataResource(
        TerraformStack(app, "other"), "kept", input={"key": token().value}
    ),
    "not resolved": lambda: token(resolution=TokenResolution.synth()),
}

MISTAKES[sys.argv[1]]()
app.synth()
