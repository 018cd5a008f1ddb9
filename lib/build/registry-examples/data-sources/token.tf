# In plan and state, marked as sensitive: for ordinary arguments and outputs.
data "iam_token" "account" {
  scope         = "account"
  min_remaining = "8h"
}

output "expires_at" {
  value = data.iam_token.account.expires_at
}
