terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}

variable "product_api_url" {
  type = string
}

ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}

resource "terraform_data" "call" {
  provisioner "local-exec" {
    command = <<-EOT
      node -e 'const { API, API_HEADER, API_URL } = process.env;
      fetch(API_URL, { headers: { [API_HEADER]: API } }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(2))'
    EOT
    environment = {
      API        = ephemeral.iam_token.web.token
      API_HEADER = ephemeral.iam_token.web.header_name
      API_URL    = "${var.product_api_url}/projects/web"
    }
  }
}
