"""Each way of resolving a token, each where it is used."""

import os
from typing import Mapping

from cdktf import (
    App,
    DataResource,
    LocalExecProvisioner,
    TerraformIterator,
    TerraformProvider,
    TerraformStack,
    Token,
)
from cdktf_iam_tokens import (
    Federation,
    IdentityService,
    ProductArea,
    RotationHook,
    RotationSchedule,
    SecretRef,
    ServiceUser,
    ServiceUserToken,
    TokenKind,
    TokenOutputs,
    TokenResolution,
    TokenScope,
)
from constructs import Construct

CALL = 'printf "%s: %s" "$API_HEADER" "$API" | curl --silent --fail -H @- "$API_URL"'


class Product(TerraformProvider):
    """A provider as `cdktf get` writes its class: with its properties as a map."""

    def __init__(self, scope: Construct, id: str, **properties: object) -> None:
        super().__init__(
            scope,
            id,
            terraform_resource_type="product",
            terraform_provider_source="npm.invalid/scenarios/product",
        )
        self.properties = properties

    def _synthesize_attributes(self) -> Mapping[str, object]:
        return self.properties


class Main(TerraformStack):
    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)
        identity = IdentityService(
            self,
            "identity",
            auth_url=os.environ["AUTH_URL"],
            account_id="123456",
            service_user=ServiceUser(
                name="deployer", password=SecretRef.env("SERVICE_USER_PASSWORD")
            ),
        )

        self.web = ServiceUserToken(
            self, "web", identity=identity, scope=TokenScope.project("web")
        )
        assert self.web.kind is TokenKind.IAM_TOKEN_PROJECT_SCOPED
        assert self.web.resolution.name == "ephemeral"
        self.web.assert_may_manage(ProductArea.CLOUD_DATABASES)
        url = os.environ["API_URL"] + "/projects/web"
        DataResource(
            self,
            "call",
            provisioners=[
                LocalExecProvisioner(
                    type="local-exec",
                    command=CALL,
                    environment={**self.web.environment("API"), "API_URL": url},
                )
            ],
        )
        Product(self, "product", url=os.environ["API_URL"], headers=self.web.headers)
        self.add_override("data.product_call.call", {"path": "/projects/web"})
        self.add_override(
            "output.status", {"value": "${data.product_call.call.status}"}
        )

        projects = TerraformIterator.from_list(["web"])
        each = ServiceUserToken(
            self,
            "each",
            identity=identity,
            scope=TokenScope.project(Token.as_string(projects.value)),
            for_each=projects,
        )
        DataResource(
            self,
            "call-each",
            for_each=projects,
            provisioners=[
                LocalExecProvisioner(
                    type="local-exec",
                    command=CALL,
                    environment={**each.environment("API"), "API_URL": url},
                )
            ],
        )

        data = ServiceUserToken(
            self,
            "data",
            identity=identity,
            scope=TokenScope.account(),
            resolution=TokenResolution.data(),
        )
        TokenOutputs(self, "ci", token=data)

        rotating = ServiceUserToken(
            self,
            "rotating",
            identity=identity,
            scope=TokenScope.account(),
            resolution=TokenResolution.rotating(
                schedule=RotationSchedule.every("6h", missed_runs=1),
                keepers={"release": os.environ.get("RELEASE", "1")},
            ),
        )
        RotationHook(
            self,
            "hook",
            token=rotating,
            command='echo "$IAM_TOKEN_HEADER" >> "$JOURNAL"',
            environment={"JOURNAL": os.environ["JOURNAL"]},
        )


class Other(TerraformStack):
    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)

        # Without a password, as a job of GitHub Actions.
        job = IdentityService(
            self,
            "job",
            auth_url=os.environ["AUTH_URL"],
            account_id="123456",
            federation=Federation(
                identity_provider="github",
                protocol="openid",
                token=SecretRef.github_actions("https://cloud.api.example.com"),
            ),
        )
        own = ServiceUserToken(
            self, "own", identity=job, scope=TokenScope.project("web")
        )
        DataResource(
            self,
            "call-of-job",
            provisioners=[
                LocalExecProvisioner(
                    type="local-exec",
                    command=CALL,
                    environment={
                        **own.environment("API"),
                        "API_URL": os.environ["API_URL"] + "/projects/web",
                    },
                )
            ],
        )


app = App()
Main(app, "main")
Other(app, "other")
app.synth()
