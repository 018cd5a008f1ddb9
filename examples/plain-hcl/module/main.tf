terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}

variable "api_url" {
  type = string
}

ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}

resource "terraform_data" "call" {
  provisioner "local-exec" {
    command = "printf '%s: %s' \"$API_HEADER\" \"$API\" | curl -sf -H @- \"$API_URL\""
    environment = {
      API        = ephemeral.iam_token.web.token
      API_HEADER = ephemeral.iam_token.web.header_name
      API_URL    = "${var.api_url}/projects/web"
    }
  }
}
