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
