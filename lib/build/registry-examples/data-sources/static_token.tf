data "iam_static_token" "dns" {
  file            = "/run/secrets/dns-token"
  accept_in_state = true
}

output "header_name" {
  value = data.iam_static_token.dns.header_name
}
