/** What a code stands for. */
interface ErrorCodeEntry {
  /** One line: when it happens. */
  readonly summary: string;
  /** One or two sentences: what to do about it. */
  readonly remedy: string;
}

const entry = (summary: string, remedy: string): ErrorCodeEntry => ({ summary, remedy });

/**
 * Every code that this package reports, with its meaning and its remedy. Codes are stable; adding
 * one is not a breaking change.
 */
export const ERROR_CODES = {
  // Credentials: where they come from.
  ERR_CREDENTIALS_MISSING: entry(
    "Address, account, user or password is not given.",
    "Give all four in one place: the provider block (auth_url, account_id, user_name and one of password, password_env, password_file), a cloud of clouds.yaml (cloud, or OS_CLOUD), or the environment (OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME, OS_PASSWORD).",
  ),
  ERR_CREDENTIALS_MIXED: entry(
    "Credentials come from more than one source.",
    'Give all of them in one place. In a provider block, password_env = "OS_PASSWORD" is an argument and takes the password from the environment on purpose.',
  ),
  ERR_CREDENTIALS_UNSUPPORTED: entry(
    "A variable or argument of the credentials cannot be honoured.",
    "Unset it, or use the form that is named.",
  ),
  ERR_CREDENTIALS_UNKNOWN: entry(
    "An argument of the provider block becomes known only after apply.",
    "Give it a value that is known at plan, or apply first what it depends on.",
  ),
  ERR_CLOUD_NOT_FOUND: entry(
    "The cloud that is asked for is not in clouds.yaml, or there is no such file.",
    "Correct the name, or put clouds.yaml where it is looked for: OS_CLIENT_CONFIG_FILE, the project's folder, ~/.config/openstack, /etc/openstack.",
  ),
  ERR_CLOUDS_FILE_INVALID: entry(
    "A clouds.yaml or secure.yaml cannot be read, or says something in a way that can be misunderstood.",
    "Correct the file at the place that is named. What stands there is not repeated, as it may be a secret.",
  ),
  ERR_ADDRESS_INVALID: entry(
    "An address is not an https address (http on loopback), or has userinfo, a query, a fragment or what programs read differently.",
    "Give the address of the identity service as the service's URL list shows it.",
  ),
  ERR_DESTINATION_REFUSED: entry(
    "An address that a token is for does not fall under the base address of the product APIs.",
    "Correct the address, or the base address if it is too narrow. The token was not handed out.",
  ),
  ERR_BASE_URL_MISSING: entry(
    "A base address is required (requireBaseUrl), and none is given.",
    "Give baseUrl, the base address of the product APIs, or leave requireBaseUrl out.",
  ),
  ERR_ADDRESS_NOT_KNOWN: entry(
    "The address of an identity service is looked up when Terraform runs, and is not known when the program is synthesized.",
    "Use authUrl of a token of this service, where the token's value may stand too; or make the IdentityService with authUrl.",
  ),
  ERR_ADDRESS_NOT_ALLOWED: entry(
    "The address is not in IAM_TOKENS_ALLOWED_AUTH_URLS.",
    "Correct the address, or have the address added to IAM_TOKENS_ALLOWED_AUTH_URLS by whoever set it. No secret was read.",
  ),
  // Secrets that are read by reference.
  ERR_SECRET_MISSING: entry(
    "The environment variable or the file of a secret is not there.",
    "Set the variable or create the file, then run again.",
  ),
  ERR_SECRET_EMPTY: entry(
    "The environment variable or the file of a secret is empty.",
    "Put the secret there, then run again.",
  ),
  ERR_SECRET_UNREADABLE: entry(
    "The file of a secret cannot be read, or is not a regular file.",
    "Give the path of a regular file that this user may read.",
  ),
  ERR_SECRET_TOO_LARGE: entry(
    "A secret is larger than 1 MiB.",
    "Check that the path or variable is the one that was meant.",
  ),
  ERR_SECRET_NOT_UTF8: entry(
    "A secret is not UTF-8 text.",
    "Store it as UTF-8 text, with nothing before or after it.",
  ),
  ERR_SECRET_UNUSABLE: entry(
    "A token has characters that a header cannot carry.",
    "Check that the path or variable is the one that was meant; it must hold the token alone.",
  ),
  ERR_SECRET_LITERAL: entry(
    "A password or a token was given as a literal.",
    'Refer to it: SecretRef.env("NAME"), SecretRef.file("path") or SecretRef.fromTerraform(expression). If the literal was committed, replace it at the service.',
  ),
  ERR_CERTIFICATE_INVALID: entry(
    "A CA file, client certificate or key cannot be used.",
    "Give PEM files; cert_file and key_file belong together.",
  ),
  // Values.
  ERR_PROP_INVALID: entry(
    "A property of a construct is missing or of the wrong type.",
    "Correct the property.",
  ),
  ERR_SCOPE_INVALID: entry(
    "The scope of a token is not account or project, or its project name is missing or misplaced.",
    'Give scope = "account", or scope = "project" with project_name.',
  ),
  ERR_NAME_INVALID: entry(
    "A name is empty, padded with white space, too long or has control characters.",
    "Copy the name from the control panel (service users: Account, Users, tab Service users).",
  ),
  ERR_ACCOUNT_INVALID: entry(
    "The account number is not a text of the right form.",
    "Give the account number as a text; it is shown in the upper right corner of the control panel.",
  ),
  ERR_DURATION_INVALID: entry("A duration cannot be read.", "Write it as number and unit."),
  ERR_ROTATION_INVALID: entry(
    "A rotation has no interval, or more than one.",
    "Give rotate_every, or lifetime and rotate_when_remaining.",
  ),
  ERR_ROTATION_THRESHOLD: entry(
    "A token would be rotated at every run: its lifetime is not above the threshold.",
    "Give a smaller threshold (rotate_when_remaining, min_remaining), or have the service's token lifetime raised.",
  ),
  ERR_IMPORT_REFUSED: entry(
    "A token or a rotation cannot be imported.",
    "Declare it without an import: the first apply issues a token, or begins the count.",
  ),
  ERR_STATIC_SOURCE_INVALID: entry(
    "A static token has no source, or more than one.",
    "Give exactly one of env, file and value.",
  ),
  // The identity service's answer.
  ERR_CREDENTIALS_REJECTED: entry(
    "The service answered 401: it does not say which of name, password, account, project or permission is wrong.",
    "Check the candidates in turn. The request was not repeated, so that the user is not locked.",
  ),
  ERR_REQUEST_REFUSED: entry(
    "The service answered with another 4xx status.",
    "Check names and address; hand the request id to the service's support.",
  ),
  ERR_ENDPOINT_NOT_FOUND: entry(
    "The service answered 404: there is no identity service at this address.",
    "Correct the address.",
  ),
  ERR_REDIRECTED: entry(
    "The service answered with a redirect, which is never followed with credentials.",
    "Give the final address.",
  ),
  ERR_RATE_LIMITED: entry(
    "The service answered 429 to every attempt.",
    "Run again later, or open fewer distinct tokens at a time.",
  ),
  ERR_SERVICE_FAILED: entry(
    "The service answered with a 5xx status to every attempt.",
    "Run again later; hand the request id to the service's support.",
  ),
  ERR_ANSWER_UNEXPECTED: entry(
    "The service answered with a status that token issuing does not have, or with something that is not HTTP.",
    "Check that the address is that of the identity service.",
  ),
  ERR_TOKEN_HEADER_MISSING: entry(
    "The service answered 201 without X-Subject-Token.",
    "Check what stands between here and the service (proxies drop headers).",
  ),
  ERR_TOKEN_HEADER_DUPLICATED: entry(
    "The service answered 201 with more than one X-Subject-Token.",
    "Check what stands between here and the service.",
  ),
  ERR_TOKEN_HEADER_EMPTY: entry(
    "The service answered 201 with an empty X-Subject-Token.",
    "Check what stands between here and the service.",
  ),
  ERR_TOKEN_HEADER_TOO_LARGE: entry(
    "The service answered with headers, or a token, too large to be one.",
    "Check that the address is that of the identity service.",
  ),
  ERR_TOKEN_HEADER_UNPRINTABLE: entry(
    "The service answered with a token that has characters a header cannot carry.",
    "Check what stands between here and the service.",
  ),
  ERR_TOKEN_HEADER_ECHOED: entry(
    "The service answered 201 with the password where the token should be.",
    "Do not use this address: it is no identity service. Replace the password.",
  ),
  ERR_ANSWER_TOO_LARGE: entry(
    "The service's answer is larger than 1 MiB.",
    "Check that the address is that of the identity service.",
  ),
  ERR_ANSWER_TOO_SLOW: entry(
    "The service began to answer, but did not end in time.",
    "Run again; check the network between here and the service.",
  ),
  ERR_NO_ANSWER: entry(
    "The service did not answer in time.",
    "Check address, network and proxy; run again.",
  ),
  ERR_CONNECTION_FAILED: entry(
    "No connection to the service, or it broke.",
    "Check address, name resolution, network and proxy (HTTPS_PROXY, NO_PROXY).",
  ),
  ERR_PROXY_INVALID: entry(
    "The proxy of HTTPS_PROXY cannot be used.",
    "Give it as http://host:port or https://host:port, or name the service's host in NO_PROXY.",
  ),
  ERR_PROXY_REFUSED: entry(
    "The proxy did not connect to the service.",
    "Check the proxy's credentials and rules, or name the service's host in NO_PROXY.",
  ),
  ERR_TLS_FAILED: entry(
    "The service's certificate, or ours, was not accepted.",
    "Give the service's CA: ca_file, OS_CACERT, or cacert in clouds.yaml. Certificate checks cannot be switched off.",
  ),
  ERR_SCOPE_MISMATCH: entry(
    "The service issued a token of another scope than was asked for.",
    "Report it to the service; the token is not used.",
  ),
  ERR_TOKEN_EXPIRED: entry(
    "The service issued a token that has already expired.",
    "Compare this machine's clock with the service's.",
  ),
  ERR_LIFETIME_TOO_SHORT: entry(
    "The token lives shorter than min_remaining.",
    "Ask for less, or have the service's token lifetime raised.",
  ),
  ERR_CANCELLED: entry("The operation was cancelled.", "Run again."),
  // Synthesis.
  ERR_PROVIDER_FILES_MISSING: entry(
    "The embedded provider is not in the package.",
    "Install the package again; in a checkout run npm run build.",
  ),
  ERR_WRITE_FAILED: entry(
    "A file in the output folder cannot be written.",
    "Make room or give write permission in the output folder, then synthesize again.",
  ),
  ERR_TOKENS_NOT_RESOLVED: entry(
    "A token with resolution: synth has no value when the program is synthesized.",
    "Declare all tokens, then await resolveTokens(app), then call app.synth().",
  ),
  ERR_RESOLUTION_FAILED: entry(
    "Not every token could be resolved before synthesis.",
    "Correct what is listed, each with its own code. Nothing was written.",
  ),
  ERR_RESOLUTION_UNKNOWN: entry(
    "A token that is to be resolved before synthesis depends on a value that only Terraform knows.",
    "Give literals, SecretRef.env or SecretRef.file, or choose TokenResolution.EPHEMERAL, which Terraform resolves.",
  ),
  ERR_FILE_NOT_OURS: entry(
    "There is a file of the name that tokens are written under, and this package has not written it.",
    "Rename your file; Terraform reads every *.auto.tfvars.json.",
  ),
  ERR_TERRAFORM_TOO_OLD: entry(
    "The Terraform or OpenTofu that is there has no ephemeral resources.",
    "Upgrade it (Terraform 1.10, OpenTofu 1.11), or declare the token with resolution: TokenResolution.DATA.",
  ),
  ERR_HCL_OUTPUT: entry(
    "HCL output drops ephemeral blocks without a word.",
    "Synthesize JSON, or declare the token with resolution: TokenResolution.DATA.",
  ),
  ERR_STATIC_TOKEN_IN_STATE: entry(
    "A static token by data stands in plan and state: full access that never ends.",
    "Use the ephemeral way, or set acceptStaticTokenInState: true.",
  ),
  ERR_NAME_TAKEN: entry(
    "Two constructs of a stack get the same name in Terraform; one would silently win.",
    "Give one of the constructs another id.",
  ),
  ERR_STACK_FOLDER_TAKEN: entry(
    "Two stacks of the program have the same id, in different scopes; cdktf writes both into one folder, and the last silently wins.",
    "Give one of the stacks another id.",
  ),
  ERR_OUTPUT_NAME_TAKEN: entry(
    "Two outputs of a stack have the same name; the last would silently win.",
    "Give one of the TokenOutputs another id or prefix.",
  ),
  ERR_EPHEMERAL_OUTPUT: entry(
    "An ephemeral token cannot be an output.",
    "Declare the token with resolution: TokenResolution.ROTATING (a static token: TokenResolution.DATA).",
  ),
  ERR_EPHEMERAL_MISPLACED: entry(
    "An ephemeral token is used where Terraform takes no ephemeral value: an argument of a data source, triggers, count, for_each, a dynamic block.",
    "Use it in provider blocks, write-only arguments and provisioners, or declare a token for this use: resolution: TokenResolution.ROTATING where something stores it, TokenResolution.DATA in count and for_each.",
  ),
  ERR_PEER_MISSING: entry(
    "A construct needs a package that is not installed.",
    "Install it: npm install @cdktf/provider-null.",
  ),
  ERR_ROTATING_MISPLACED: entry(
    "A rotating token is used where Terraform must know its value in each plan: a provider block, count, for_each. The plan that rotates it does not.",
    "Declare a token with resolution: TokenResolution.EPHEMERAL for provider blocks; let count and for_each depend on something else.",
  ),
  ERR_TOKEN_MISPLACED: entry(
    "A token is used where Terraform takes no such value: what is fixed before it knows values (backend, moved, a variable's default), a provisioner that runs at destroy, an output that is not sensitive, keys of for_each.",
    "Take it out there, or do what the message says of that place.",
  ),
  ERR_KIND_UNSUITABLE: entry(
    "A token is of a kind that does not manage the area that it was asserted for.",
    "Declare a token of one of the kinds that are named.",
  ),
  ERR_PERMISSION_INSUFFICIENT: entry(
    "The declared permission of the service user does not allow the token.",
    "Correct the permission that is declared, or ask for a token that it allows; the permission itself is changed in the control panel.",
  ),
  ERR_OTHER_STACK: entry(
    "A construct of another stack was handed in, or a token is used in another stack than its own.",
    "Use what the token's reopenIn gives for that stack: the same token, declared there.",
  ),
  // Rotation on a schedule.
  ERR_SCHEDULE_INVALID: entry(
    "A rotation schedule cannot be read: its cron expression, its number of missed runs, or a part of it that only Terraform knows.",
    "Correct what is named.",
  ),
  ERR_SCHEDULE_GAP: entry(
    "Under this schedule a consumer could hold a token that has expired.",
    "Run more often, tolerate fewer missed runs, or shorten the apply.",
  ),
  // The command.
  ERR_VERSION_MISMATCH: entry(
    "A stack was synthesized by another version of the package than the provider that runs.",
    "Synthesize the stack again, or start the pipeline by the version that is installed beside it: npx cdktf-iam-tokens run.",
  ),
  ERR_RUN_PROVIDER_FAILED: entry(
    "The provider of iam-tokens run could not start, or ended before the command.",
    "Run again. If it happens again, run with TF_LOG=debug and report what is printed.",
  ),
  ERR_COMMAND_NOT_RUN: entry(
    "The command after iam-tokens run cannot be started.",
    "Check its name and PATH. What only a shell knows needs one: iam-tokens run -- sh -c '…'.",
  ),
  ERR_WORKING_FOLDER_GONE: entry(
    "The folder that iam-tokens was started in has been removed.",
    'Change into a folder that is there. Where it was made anew: cd "$PWD".',
  ),
  // The testing entry.
  ERR_TESTING_CONFIG_INVALID: entry(
    "A configuration of the embedded identity service or of the leak scanner is wrong.",
    "Correct what is named; the configuration is checked strictly, so that a misspelt name is not silently ignored.",
  ),
  ERR_USAGE: entry("A command was given arguments that it does not know.", "Run it with --help."),
  ERR_OUTPUT_FILE: entry(
    "A file that a command was to write cannot be written, or is no regular file.",
    "Give the path of a file in a folder that is there and may be written to.",
  ),
  ERR_LISTEN_FAILED: entry(
    "A server for tests cannot listen on its address.",
    "Give another port, or 0 for any free one.",
  ),
} as const satisfies Record<string, ErrorCodeEntry>;

/** The closed union of stable error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;
