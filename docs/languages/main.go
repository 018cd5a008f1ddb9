package main

import (
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdktf-iam-tokens/cdktf-iam-tokens-go/iamtokens"
	"github.com/hashicorp/terraform-cdk-go/cdktf"
)

func newWebStack(scope constructs.Construct, id string) cdktf.TerraformStack {
	stack := cdktf.NewTerraformStack(scope, &id)
	identity := iamtokens.NewIdentityService(
		stack, jsii.String("identity"), &iamtokens.IdentityServiceProps{
			AuthUrl:   jsii.String("http://127.0.0.1:35357"),
			AccountId: jsii.String("123456"),
			ServiceUser: &iamtokens.ServiceUser{
				Name:     jsii.String("deployer"),
				Password: iamtokens.SecretRef_Env(jsii.String("SERVICE_USER_PASSWORD")),
			},
		})

	// Ephemeral: the token is in no file, plan or state.
	web := iamtokens.NewServiceUserToken(stack, jsii.String("web"), &iamtokens.ServiceUserTokenProps{
		Identity: identity,
		Scope:    iamtokens.TokenScope_Project(jsii.String("web")),
	})
	cdktf.NewDataResource(stack, jsii.String("call"), &cdktf.DataConfig{
		Provisioners: &[]interface{}{&cdktf.LocalExecProvisioner{
			Type:        jsii.String("local-exec"),
			Command:     jsii.String(`test -n "$API" && echo "a token for $API_HEADER" > called.txt`),
			Environment: web.Environment(jsii.String("API")),
		}},
	})

	// An output stores its token in the state.
	shared := iamtokens.NewServiceUserToken(
		stack, jsii.String("shared"), &iamtokens.ServiceUserTokenProps{
			Identity:   identity,
			Scope:      iamtokens.TokenScope_Account(),
			Resolution: iamtokens.TokenResolution_Rotating(nil),
		})
	iamtokens.NewTokenOutputs(stack, jsii.String("ci"), &iamtokens.TokenOutputsProps{Token: shared})
	return stack
}

func main() {
	app := cdktf.NewApp(nil)
	newWebStack(app, "web")
	app.Synth()
}
