resource "iam_rotation" "ci" {
  rotate_every = "12h"
}

ephemeral "iam_token" "ci" {
  scope         = "account"
  min_remaining = "13h"
}

# Each rotation runs this once, with a token that no state has.
resource "terraform_data" "push" {
  triggers_replace = [iam_rotation.ci.id, iam_rotation.ci.rotation]

  provisioner "local-exec" {
    command     = "printf %s \"$TOKEN\" | vault kv put secret/ci token=-"
    environment = { TOKEN = ephemeral.iam_token.ci.token }
  }
}
