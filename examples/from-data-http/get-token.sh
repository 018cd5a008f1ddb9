#!/bin/sh
# Before: a script requests the token, and Terraform gets it as a variable.
#   . ./get-token.sh && terraform apply
set -eu
body=$(mktemp)
headers=$(mktemp)
trap 'rm -f "$body" "$headers"' EXIT
cat >"$body" <<END
{"auth": {
  "identity": {"methods": ["password"], "password": {"user": {
    "name": "deployer", "domain": {"name": "123456"}, "password": "$SERVICE_USER_PASSWORD"}}},
  "scope": {"project": {"name": "web", "domain": {"name": "123456"}}}}}
END
curl -sf -o /dev/null -D "$headers" -H "Content-Type: application/json" \
  --data-binary "@$body" "$AUTH_URL/identity/v3/auth/tokens"
TF_VAR_token=$(sed -n 's/^[Xx]-[Ss]ubject-[Tt]oken: *//p' "$headers" | tr -d '\r')
export TF_VAR_token
