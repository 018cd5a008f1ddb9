// Each way of resolving a token, each where it is used.
package main

import (
	"os"

	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdktf-iam-tokens/cdktf-iam-tokens-go/iamtokens"
	"github.com/hashicorp/terraform-cdk-go/cdktf"
)

const call = `printf "%s: %s" "$API_HEADER" "$API" | curl --silent --fail -H @- "$API_URL"`

// A provider as `cdktf get` writes its class: with its properties as a map.
type product struct {
	cdktf.TerraformProvider
	properties map[string]interface{}
}

func (p *product) SynthesizeAttributes() *map[string]interface{} { return &p.properties }

func newProduct(scope constructs.Construct, id string, properties map[string]interface{}) {
	cdktf.NewTerraformProvider_Override(
		&product{properties: properties}, scope, &id, &cdktf.TerraformProviderConfig{
			TerraformResourceType:   jsii.String("product"),
			TerraformProviderSource: jsii.String("npm.invalid/scenarios/product"),
		})
}

func identityIn(stack cdktf.TerraformStack) iamtokens.IdentityService {
	return iamtokens.NewIdentityService(
		stack, jsii.String("identity"), &iamtokens.IdentityServiceProps{
			AuthUrl:   jsii.String(os.Getenv("AUTH_URL")),
			AccountId: jsii.String("123456"),
			ServiceUser: &iamtokens.ServiceUser{
				Name:     jsii.String("deployer"),
				Password: iamtokens.SecretRef_Env(jsii.String("SERVICE_USER_PASSWORD")),
			},
		})
}

func newMain(scope constructs.Construct, id string) {
	stack := cdktf.NewTerraformStack(scope, &id)
	identity := identityIn(stack)
	url := os.Getenv("API_URL")

	web := iamtokens.NewServiceUserToken(stack, jsii.String("web"), &iamtokens.ServiceUserTokenProps{
		Identity: identity,
		Scope:    iamtokens.TokenScope_Project(jsii.String("web")),
	})
	newProduct(stack, "product", map[string]interface{}{"url": url, "headers": web.Headers()})
	stack.AddOverride(
		jsii.String("data.product_call.call"), map[string]string{"path": "/projects/web"})
	stack.AddOverride(
		jsii.String("output.status.value"), jsii.String("${data.product_call.call.status}"))

	projects := cdktf.TerraformIterator_FromList(&[]*string{jsii.String("web")})
	each := iamtokens.NewServiceUserToken(stack, jsii.String("each"), &iamtokens.ServiceUserTokenProps{
		Identity: identity,
		Scope:    iamtokens.TokenScope_Project(cdktf.Token_AsString(projects.Value(), nil)),
		ForEach:  projects,
	})
	environment := *each.Environment(jsii.String("API"))
	environment["API_URL"] = jsii.String(url + "/projects/web")
	cdktf.NewDataResource(stack, jsii.String("call-each"), &cdktf.DataConfig{
		ForEach: projects,
		Provisioners: &[]interface{}{&cdktf.LocalExecProvisioner{
			Type:        jsii.String("local-exec"),
			Command:     jsii.String(call),
			Environment: &environment,
		}},
	})

	rotating := iamtokens.NewServiceUserToken(
		stack, jsii.String("rotating"), &iamtokens.ServiceUserTokenProps{
			Identity: identity,
			Scope:    iamtokens.TokenScope_Account(),
			Resolution: iamtokens.TokenResolution_Rotating(&iamtokens.RotatingOptions{
				Schedule: iamtokens.RotationSchedule_Every(
					jsii.String("6h"), &iamtokens.RotationScheduleOptions{MissedRuns: jsii.Number(1)}),
				Keepers: &map[string]*string{"release": jsii.String(os.Getenv("RELEASE"))},
			}),
		})
	iamtokens.NewTokenOutputs(stack, jsii.String("ci"), &iamtokens.TokenOutputsProps{Token: rotating})
	iamtokens.NewRotationHook(stack, jsii.String("hook"), &iamtokens.RotationHookProps{
		Token:       rotating,
		Command:     jsii.String(`echo "$IAM_TOKEN_HEADER" >> "$JOURNAL"`),
		Environment: &map[string]*string{"JOURNAL": jsii.String(os.Getenv("JOURNAL"))},
	})
}

func newEarly(scope constructs.Construct, id string) {
	stack := cdktf.NewTerraformStack(scope, &id)
	iamtokens.NewServiceUserToken(stack, jsii.String("early"), &iamtokens.ServiceUserTokenProps{
		Identity:   identityIn(stack),
		Scope:      iamtokens.TokenScope_Account(),
		Resolution: iamtokens.TokenResolution_Synth(nil),
	})
}

func main() {
	app := cdktf.NewApp(nil)
	newMain(app, "main")
	newEarly(app, "early")
	iamtokens.NewSynthTokens(app, &iamtokens.SynthTokensProps{WriteFile: jsii.Bool(true)}).Resolve()
	app.Synth()
}
