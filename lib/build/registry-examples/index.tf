terraform {
  required_providers {
    iam = { source = "OWNER/iam" }
  }
}

provider "iam" {
  auth_url     = "https://cloud.api.example.com"
  account_id   = "123456"
  user_name    = "deployer"
  password_env = "SERVICE_USER_PASSWORD"

  # Tokens of this block are for addresses below this one alone.
  base_url = "https://api.example.com"
}

# With an application credential, which can be revoked alone.
provider "iam" {
  alias                             = "credential"
  auth_url                          = "https://cloud.api.example.com"
  application_credential_id         = "21dced0fd20347869b93710d2b98aae0"
  application_credential_secret_env = "APPLICATION_CREDENTIAL_SECRET"
}

# Without any secret, in GitHub Actions.
provider "iam" {
  alias             = "pipeline"
  auth_url          = "https://cloud.api.example.com"
  identity_provider = "github"
  protocol          = "openid"
  oidc_audience     = "https://cloud.api.example.com"
}
