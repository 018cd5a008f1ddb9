import com.hashicorp.cdktf.App;
import com.hashicorp.cdktf.DataResource;
import com.hashicorp.cdktf.ListTerraformIterator;
import com.hashicorp.cdktf.LocalExecProvisioner;
import com.hashicorp.cdktf.TerraformIterator;
import com.hashicorp.cdktf.TerraformProvider;
import com.hashicorp.cdktf.TerraformProviderConfig;
import com.hashicorp.cdktf.TerraformStack;
import com.hashicorp.cdktf.Token;
import io.github.cdktf_iam_tokens.cdktf.*;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.constructs.Construct;

/** Each way of resolving a token, each where it is used. */
public class Main {
    static final String CALL =
        "printf \"%s: %s\" \"$API_HEADER\" \"$API\" | curl --silent --fail -H @- \"$API_URL\"";

    /** A provider as `cdktf get` writes its class: with its properties as a map. */
    static class Product extends TerraformProvider {
        private final Map<String, Object> properties;

        Product(Construct scope, String id, Map<String, Object> properties) {
            super(scope, id, TerraformProviderConfig.builder()
                .terraformResourceType("product")
                .terraformProviderSource("npm.invalid/scenarios/product")
                .build());
            this.properties = properties;
        }

        @Override
        protected Map<String, Object> synthesizeAttributes() {
            return properties;
        }
    }

    static IdentityService identityIn(Construct scope) {
        return IdentityService.Builder.create(scope, "identity")
            .authUrl(System.getenv("AUTH_URL"))
            .accountId("123456")
            .serviceUser(ServiceUser.builder()
                .name("deployer")
                .password(SecretRef.env("SERVICE_USER_PASSWORD"))
                .build())
            .build();
    }

    static class MainStack extends TerraformStack {
        MainStack(Construct scope, String id) {
            super(scope, id);
            IdentityService identity = identityIn(this);
            String url = System.getenv("API_URL");

            ServiceUserToken web = ServiceUserToken.Builder.create(this, "web")
                .identity(identity)
                .scope(TokenScope.project("web"))
                .build();
            new Product(this, "product", Map.of("url", url, "headers", web.getHeaders()));
            addOverride("data.product_call.call", Map.of("path", "/projects/web"));
            addOverride("output.status.value", "${data.product_call.call.status}");

            ListTerraformIterator projects = TerraformIterator.fromList(List.of("web"));
            ServiceUserToken each = ServiceUserToken.Builder.create(this, "each")
                .identity(identity)
                .scope(TokenScope.project(Token.asString(projects.getValue())))
                .forEach(projects)
                .build();
            Map<String, String> environment = new HashMap<>(each.environment("API"));
            environment.put("API_URL", url + "/projects/web");
            DataResource.Builder.create(this, "call-each")
                .forEach(projects)
                .provisioners(List.of(LocalExecProvisioner.builder()
                    .type("local-exec")
                    .command(CALL)
                    .environment(environment)
                    .build()))
                .build();

            ServiceUserToken rotating = ServiceUserToken.Builder.create(this, "rotating")
                .identity(identity)
                .scope(TokenScope.account())
                .resolution(TokenResolution.rotating(RotatingOptions.builder()
                    .schedule(RotationSchedule.every(
                        "6h", RotationScheduleOptions.builder().missedRuns(1).build()))
                    .keepers(Map.of("release", System.getenv("RELEASE")))
                    .build()))
                .build();
            TokenOutputs.Builder.create(this, "ci").token(rotating).build();
            RotationHook.Builder.create(this, "hook")
                .token(rotating)
                .command("echo \"$IAM_TOKEN_HEADER\" >> \"$JOURNAL\"")
                .environment(Map.of("JOURNAL", System.getenv("JOURNAL")))
                .build();
        }
    }

    static class EarlyStack extends TerraformStack {
        EarlyStack(Construct scope, String id) {
            super(scope, id);
            ServiceUserToken.Builder.create(this, "early")
                .identity(identityIn(this))
                .scope(TokenScope.account())
                .resolution(TokenResolution.synth())
                .build();
        }
    }

    public static void main(String[] args) {
        App app = new App();
        new MainStack(app, "main");
        new EarlyStack(app, "early");
        new SynthTokens(app, SynthTokensProps.builder().writeFile(true).build()).resolve();
        app.synth();
    }
}
