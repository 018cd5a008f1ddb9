import com.hashicorp.cdktf.App;
import com.hashicorp.cdktf.DataResource;
import com.hashicorp.cdktf.LocalExecProvisioner;
import com.hashicorp.cdktf.TerraformStack;
import io.github.cdktf_iam_tokens.cdktf.*;
import java.util.List;
import software.constructs.Construct;

public class Main {
    static class WebStack extends TerraformStack {
        WebStack(Construct scope, String id) {
            super(scope, id);
            IdentityService identity = IdentityService.Builder.create(this, "identity")
                .authUrl("http://127.0.0.1:35357")
                .accountId("123456")
                .serviceUser(ServiceUser.builder()
                    .name("deployer")
                    .password(SecretRef.env("SERVICE_USER_PASSWORD"))
                    .build())
                .build();

            // Ephemeral: the token is in no file, plan or state.
            ServiceUserToken web = ServiceUserToken.Builder.create(this, "web")
                .identity(identity)
                .scope(TokenScope.project("web"))
                .build();
            DataResource.Builder.create(this, "call")
                .provisioners(List.of(LocalExecProvisioner.builder()
                    .type("local-exec")
                    .command("test -n \"$API\" && echo \"a token for $API_HEADER\" > called.txt")
                    .environment(web.environment("API"))
                    .build()))
                .build();

            // An output stores its token in the state.
            ServiceUserToken shared = ServiceUserToken.Builder.create(this, "shared")
                .identity(identity)
                .scope(TokenScope.account())
                .resolution(TokenResolution.rotating())
                .build();
            TokenOutputs.Builder.create(this, "ci").token(shared).build();
        }
    }

    public static void main(String[] args) {
        App app = new App();
        new WebStack(app, "web");
        app.synth();
    }
}
