"""Runs the examples of docstrings, which the test appends: each is a stack of its own."""

from typing import Any

from cdktf import App, DataResource, Fn, TerraformStack
from cdktf_iam_tokens import *
from constructs import Construct


class ForeignProvider(Construct):
    """A class of another provider's package."""

    def __init__(self, scope: Construct, id: str, **config: Any) -> None:
        super().__init__(scope, id)


OpenstackProvider = RestapiProvider = KvSecretV2 = ForeignProvider


class Around(TerraformStack):
    """What an example finds around it."""

    def __init__(self) -> None:
        self.app = App()
        super().__init__(self.app, "main")
        self.other_stack = TerraformStack(self.app, "other")
        # Examples may have the same names.
        around = Construct(self, "around")
        self.identity = IdentityService(
            around,
            "identity",
            auth_url="https://cloud.api.example.com",
            account_id="123456",
            service_user=ServiceUser(name="deployer", password=SecretRef.env("PASSWORD")),
        )
        self.rotation = TokenRotation(around, "rotation", schedule=RotationSchedule.every("6h"))
        self.secret = DataResource(around, "secret")

    def token(self, name: str, resolution: TokenResolution) -> ServiceUserToken:
        scope = TokenScope.project("web")
        return ServiceUserToken(
            self.secret, name, identity=self.identity, scope=scope, resolution=resolution
        )

    def show(self) -> None:
        self.example(
            self,
            self.app,
            self.other_stack,
            self.identity,
            self.token("web", TokenResolution.ephemeral()),
            self.token("shared", TokenResolution.rotating()),
            self.token("pushed", TokenResolution.ephemeral(rotate_with=self.rotation)),
            self.secret,
        )

    def example(
        self,
        stack: TerraformStack,
        app: App,
        other_stack: TerraformStack,
        identity: IdentityService,
        web: ServiceUserToken,
        shared: ServiceUserToken,
        pushed: ServiceUserToken,
        secret: DataResource,
    ) -> None:
        raise NotImplementedError
