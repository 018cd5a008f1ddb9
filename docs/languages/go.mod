module example

go 1.25

require (
	github.com/cdktf-iam-tokens/cdktf-iam-tokens-go/iamtokens v0.0.0
	github.com/hashicorp/terraform-cdk-go/cdktf v0.21.0
)

replace github.com/cdktf-iam-tokens/cdktf-iam-tokens-go/iamtokens => ./iamtokens
