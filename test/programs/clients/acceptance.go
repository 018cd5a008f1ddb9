// Acceptance tests as providers in Go have them, with terraform-plugin-testing, for our provider.
// Terraform finds it in a filesystem mirror; terraform-plugin-testing attaches its echo provider.
package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	testing "github.com/mitchellh/go-testing-interface"
)

const provider = `
provider "iam" {
  account_id   = "123456"
  user_name    = "deployer"
  password_env = "SERVICE_USER_PASSWORD"
  auth_url     = %q
}
`

const ephemeral = `
ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}

provider "echo" {
  data = ephemeral.iam_token.web
}

resource "echo" "web" {}
`

const rotating = `
resource "iam_token" "ci" {
  scope                 = "account"
  rotate_when_remaining = "6h"
  keepers               = { run = %q }
}
`

var (
	token = tfjsonpath.New("token")
	fresh = knownvalue.StringRegexp(regexp.MustCompile(`^gAAAA[\w-]{100,}$`))
)

func config(text string, values ...any) string {
	return fmt.Sprintf(provider, os.Getenv("AUTH_URL")) + fmt.Sprintf(text, values...)
}

func theCase(steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ExternalProviders: map[string]resource.ExternalProvider{
			"iam": {Source: "npm.invalid/cdktf-iam-tokens/iam"},
		},
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"echo": echoprovider.NewProviderServer(),
		},
		Steps: steps,
	}
}

func echoed(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("echo.web", tfjsonpath.New("data").AtMapKey(name), check)
}

func inState(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("iam_token.ci", tfjsonpath.New(name), check)
}

// Before an apply: the action, and a rotation that is known while the token is not.
func plans(action plancheck.ResourceActionType, rotation int64) []plancheck.PlanCheck {
	return []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("iam_token.ci", action),
		plancheck.ExpectUnknownValue("iam_token.ci", token),
		plancheck.ExpectSensitiveValue("iam_token.ci", token),
		plancheck.ExpectKnownValue("iam_token.ci", tfjsonpath.New("rotation"), knownvalue.Int64Exact(rotation)),
	}
}

// After it: nothing is left to do, with and without a refresh.
func applied(action plancheck.ResourceActionType, rotation int64) resource.ConfigPlanChecks {
	empty := []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	return resource.ConfigPlanChecks{
		PreApply:             plans(action, rotation),
		PostApplyPreRefresh:  empty,
		PostApplyPostRefresh: empty,
	}
}

func main() {
	t := &testing.RuntimeT{}
	resource.Test(t, theCase(resource.TestStep{
		Config: config(ephemeral),
		ConfigStateChecks: []statecheck.StateCheck{
			echoed("token", fresh),
			echoed("header_name", knownvalue.StringExact("X-Auth-Token")),
			echoed("headers", knownvalue.MapExact(map[string]knownvalue.Check{"X-Auth-Token": fresh})),
			echoed("kind", knownvalue.StringExact("iam_token_project_scoped")),
			echoed("fingerprint", knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{12}$`))),
		},
	}))
	rotated := statecheck.CompareValue(compare.ValuesDiffer())
	resource.Test(t, theCase(
		resource.TestStep{
			Config:            config(rotating, "1"),
			ConfigPlanChecks:  applied(plancheck.ResourceActionCreate, 1),
			ConfigStateChecks: []statecheck.StateCheck{inState("token", fresh), rotated.AddStateValue("iam_token.ci", token)},
		},
		resource.TestStep{RefreshState: true},
		resource.TestStep{
			Config:            config(rotating, "2"),
			ConfigPlanChecks:  applied(plancheck.ResourceActionUpdate, 2),
			ConfigStateChecks: []statecheck.StateCheck{inState("token", fresh), rotated.AddStateValue("iam_token.ci", token)},
		},
	))
	// A check that does not hold is an error: those above are looked at.
	resource.Test(t, theCase(resource.TestStep{
		Config:            config(ephemeral),
		ConfigStateChecks: []statecheck.StateCheck{echoed("kind", knownvalue.StringExact("static_token"))},
		ExpectError:       regexp.MustCompile(`expected value static_token for StringExact check`),
	}))
	fmt.Println("passed")
}
