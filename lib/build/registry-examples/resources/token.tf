# A token for whoever reads the output: rotated by the first apply with less than 12 h left.
resource "iam_token" "ci" {
  scope                 = "project"
  project_name          = "web"
  rotate_when_remaining = "12h"
  revoke_on_destroy     = true
}

output "ci_token" {
  value     = iam_token.ci.token
  sensitive = true
}
