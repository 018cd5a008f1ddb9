using System.Collections.Generic;
using Cdktf.IamTokens;
using Constructs;
using HashiCorp.Cdktf;

var app = new App();
new WebStack(app, "web");
app.Synth();

class WebStack : TerraformStack
{
    public WebStack(Construct scope, string id) : base(scope, id)
    {
        var identity = new IdentityService(this, "identity", new IdentityServiceProps
        {
            AuthUrl = "http://127.0.0.1:35357",
            AccountId = "123456",
            ServiceUser = new ServiceUser
            {
                Name = "deployer",
                Password = SecretRef.Env("SERVICE_USER_PASSWORD"),
            },
        });

        // Ephemeral: the token is in no file, plan or state.
        var web = new ServiceUserToken(this, "web", new ServiceUserTokenProps
        {
            Identity = identity,
            Scope = TokenScope.Project("web"),
        });
        new DataResource(this, "call", new DataConfig
        {
            Provisioners = new object[]
            {
                new LocalExecProvisioner
                {
                    Type = "local-exec",
                    Command = "test -n \"$API\" && echo \"a token for $API_HEADER\" > called.txt",
                    Environment = web.Environment("API"),
                },
            },
        });

        // An output stores its token in the state.
        var shared = new ServiceUserToken(this, "shared", new ServiceUserTokenProps
        {
            Identity = identity,
            Scope = TokenScope.Account(),
            Resolution = TokenResolution.ROTATING,
        });
        new TokenOutputs(this, "ci", new TokenOutputsProps { Token = shared });
    }
}
