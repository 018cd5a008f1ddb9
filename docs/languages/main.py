from cdktf import App, DataResource, LocalExecProvisioner, TerraformStack
from cdktf_iam_tokens import (
    IdentityService,
    SecretRef,
    ServiceUser,
    ServiceUserToken,
    TokenOutputs,
    TokenResolution,
    TokenScope,
)
from constructs import Construct

SERVICE = "http://127.0.0.1:35357"
CALL = 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- -o answer.json'


class FirstStack(TerraformStack):
    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)
        identity = IdentityService(
            self,
            "identity",
            auth_url=SERVICE,
            account_id="123456",
            service_user=ServiceUser(
                name="deployer", password=SecretRef.env("SERVICE_USER_PASSWORD")
            ),
        )

        # A token for a provisioner. It is in no file.
        web = ServiceUserToken(self, "web", identity=identity, scope=TokenScope.project("web"))
        DataResource(
            self,
            "call",
            provisioners=[
                LocalExecProvisioner(
                    type="local-exec",
                    command=f"{CALL} {SERVICE}/echo",
                    environment=web.environment("API"),
                )
            ],
        )

        # A token that other programs read with "terraform output". It is in the state,
        # marked as sensitive.
        ci = ServiceUserToken(
            self,
            "ci",
            identity=identity,
            scope=TokenScope.account(),
            resolution=TokenResolution.rotating(),
        )
        TokenOutputs(self, "for-ci", token=ci)


app = App()
FirstStack(app, "first")
app.synth()
