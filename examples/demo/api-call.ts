import { DataResource } from "cdktf";
import type { IAuthenticationToken } from "cdktf-iam-tokens";
import type { Construct } from "constructs";

/**
 * By environment and not in the text: Terraform prints the command when it fails, and `ps` shows
 * arguments to everybody. As curl: `curl --fail -H "$API_HEADER: $API" "$API_URL"`, which shows the
 * token to `ps`.
 */
export const API_CALL = `node -e 'const { API, API_HEADER, API_URL } = process.env;
fetch(API_URL, { headers: { [API_HEADER]: API } }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(2))'`;

/**
 * Uses a token: a provisioner sends a request to a product API once. The apply fails when the API
 * refuses the token.
 */
export class ApiCall extends DataResource {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly url: string; readonly token: IAuthenticationToken },
  ) {
    const environment = { ...props.token.environment("API"), API_URL: props.url };
    super(scope, id, { provisioners: [{ type: "local-exec", command: API_CALL, environment }] });
  }
}
