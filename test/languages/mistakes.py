"""One mistake, which the argument names; what the program says is what a user sees."""

import importlib
import sys

from cdktf import App, DataResource, TerraformStack
from cdktf_iam_tokens import *

app = App()
stack = TerraformStack(app, "main")


def identity(**changes):
    given = {
        "auth_url": "https://cloud.api.example.com",
        "account_id": "123456",
        "service_user": ServiceUser(name="deployer", password=SecretRef.env("PASSWORD")),
    }
    return IdentityService(stack, "identity", **{**given, **changes})


def token(**changes):
    given = {"identity": identity(), "scope": TokenScope.account()}
    return ServiceUserToken(stack, "web", **{**given, **changes})


MISTAKES = {
    "password": lambda: ServiceUser(name="deployer", password="canary-literal"),
    "literal": lambda: identity(
        service_user=ServiceUser(
            name="deployer", password=SecretRef.from_terraform("canary-literal")
        )
    ),
    "address": lambda: identity(auth_url="cloud.example.com"),
    "no scope": lambda: ServiceUserToken(stack, "web", identity=identity()),
    "scope": lambda: token(scope="web"),
    "resolution": lambda: token(resolution="data"),
    "camel case": lambda: token(minRemaining="2h"),
    "duration": lambda: token(min_remaining="two hours"),
    "output": lambda: TokenOutputs(stack, "ci", token=token()),
    "stored": lambda: DataResource(stack, "kept", input={"key": token().value}),
    "other stack": lambda: DataResource(
        TerraformStack(app, "other"), "kept", input={"key": token().value}
    ),
    "schedule": lambda: token(
        resolution=TokenResolution.ROTATING, schedule=RotationSchedule.every("23h")
    ),
    "hook": lambda: RotationHook(
        stack, "hook", token=token(resolution=TokenResolution.ROTATING), command="true"
    ),
    "other framework": lambda: importlib.import_module(
        "cdktn_iam_tokens"
    ).EmbeddedProvider.of(stack),
    "not resolved": lambda: token(resolution=TokenResolution.SYNTH),
}

MISTAKES[sys.argv[1]]()
app.synth()
