# In no plan and no state: for provider blocks, write-only arguments and provisioners.
ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}

resource "terraform_data" "call" {
  provisioner "local-exec" {
    command = "printf '%s: %s' \"$NAME\" \"$TOKEN\" | curl -sf -H @- https://api.example.com/web"
    environment = {
      NAME  = ephemeral.iam_token.web.header_name
      TOKEN = ephemeral.iam_token.web.token
    }
  }
}
