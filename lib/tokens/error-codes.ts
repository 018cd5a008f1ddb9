import { OWN_COMMAND } from "./command";
import { BLOCK, setting, type Text, words } from "./words";

/** The meaning of a code: when it happens, in one line, and what to do, in one or two sentences. */
type Meaning = readonly [summary: string, remedy: Text];

/** One cause of two errors: the default of 24 h, and a service whose tokens live shorter. */
const OF_A_SCHEDULE = `If a schedule gives it, give the schedule the lifetime of the service's tokens: RotationSchedule.every("6h", { lifetime: "8h" }), or ${OWN_COMMAND} schedule --lifetime 8h.`;

/**
 * Every code that this package reports, with its meaning and its remedy. Codes are stable; adding
 * one is not a breaking change.
 */
export const ERROR_CODES = {
  // Credentials and their sources.
  ERR_CREDENTIALS_MISSING: [
    "A part of the credentials is not given.",
    words`Give all parts in one place: ${BLOCK} (${setting("auth_url")}, ${setting("account_id")}, ${setting("user_name")}, ${setting("password_env")}), a cloud of clouds.yaml (${setting("cloud")}, or OS_CLOUD), or the environment (OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME, OS_PASSWORD). docs/signing-in.md has the other ways.`,
  ],
  ERR_CREDENTIALS_MIXED: [
    "Credentials come from more than one source, or way of signing in.",
    words`Give all of them in one place. In a provider block, ${setting("password_env")} = "OS_PASSWORD" is an argument.`,
  ],
  ERR_CREDENTIALS_UNSUPPORTED: [
    "A variable or argument of the credentials cannot be honoured.",
    "Unset it, or use the form that the message names.",
  ],
  ERR_CREDENTIALS_UNKNOWN: [
    "An argument of the provider block becomes known only after apply.",
    "Let the token wait for the value: repeat it in the token's after. Or give one that is known at plan, or apply first what it depends on.",
  ],
  ERR_CLOUD_NOT_FOUND: [
    "The requested cloud is not in clouds.yaml, or clouds.yaml does not exist.",
    "Correct the name, or put clouds.yaml where the provider looks: OS_CLIENT_CONFIG_FILE, the project's folder, ~/.config/openstack, /etc/openstack.",
  ],
  ERR_CLOUDS_FILE_INVALID: [
    "A clouds.yaml or secure.yaml cannot be read.",
    "Correct the file; its values are not repeated.",
  ],
  ERR_ADDRESS_INVALID: [
    "An address is not https (except on loopback), is not spelled as a URL parser writes it, or has a part that programs parse differently.",
    "Give the address as the service's URL list shows it.",
  ],
  ERR_DESTINATION_REFUSED: [
    "The destination of a token is outside the base address.",
    "Correct the destination or the base address. The token was not released.",
  ],
  ERR_ADDRESS_NOT_KNOWN: [
    "The identity service's address is not known during synthesis.",
    "Use authUrl of one of its tokens, or create the IdentityService with authUrl.",
  ],
  ERR_ADDRESS_NOT_ALLOWED: [
    "The address is not in IAM_TOKENS_ALLOWED_AUTH_URLS.",
    "Correct the address, or let whoever set the list add it. No secret was sent.",
  ],
  // Secrets that are read by reference.
  ERR_SECRET_MISSING: [
    "The variable or file of a secret does not exist.",
    "Set the variable, or create the file where the path leads.",
  ],
  ERR_SECRET_EMPTY: ["The variable or file of a secret is empty.", "Write the secret there."],
  ERR_SECRET_UNREADABLE: [
    "The file of a secret cannot be read, or is not a regular file.",
    "Give a regular file that the current user may read.",
  ],
  ERR_SECRET_TOO_LARGE: [
    "A secret is larger than 1 MiB.",
    "Check that the path or variable is the intended one.",
  ],
  ERR_SECRET_NOT_UTF8: ["A secret is not UTF-8 text.", "Store it as UTF-8 text."],
  ERR_COMMAND_FAILED: [
    "A command that should print a secret cannot be used.",
    "Run it by hand, as Terraform's user and in its environment. It must end with 0 within 30 s, and print the secret alone. IAM_TOKENS_COMMAND_STDERR=1 with TF_LOG=error prints its standard error in the log.",
  ],
  ERR_COMMAND_NOT_ALLOWED: [
    "The program is not in IAM_TOKENS_ALLOWED_COMMANDS.",
    "Let whoever set the list add it. It was not run.",
  ],
  ERR_IDENTITY_TOKEN_UNAVAILABLE: [
    "GitHub Actions gives no identity token.",
    'Add "permissions: id-token: write" to the job, and pass both variables on if it runs Terraform in a container. Elsewhere, the identity token comes from a variable, a file or a command.',
  ],
  ERR_SECRET_UNUSABLE: [
    "A token has characters that a header cannot carry.",
    "Check that the path or variable holds the token alone.",
  ],
  ERR_SECRET_LITERAL: [
    "A password or a token is a literal in the program.",
    'Refer to it: SecretRef.env("NAME"), SecretRef.file("path"), SecretRef.variable("name"), SecretRef.command(["program", "argument"]) or SecretRef.fromTerraform(expression). If the literal was committed, replace it at the service.',
  ],
  ERR_SECRET_IN_PLAN: [
    "A secret comes from a Terraform variable that is not ephemeral: saved plans contain it.",
    'Use SecretRef.variable("name"), which declares an ephemeral variable.',
  ],
  ERR_CERTIFICATE_INVALID: [
    "A CA file, client certificate or key cannot be used.",
    words`Give PEM files; ${setting("cert_file")} and ${setting("key_file")} belong together.`,
  ],
  // Values.
  ERR_TOO_LONG: [
    "A string of a block has more than 8,192 characters, or a collection more than 256 elements.",
    "Give a shorter value.",
  ],
  ERR_PROP_INVALID: [
    "A property of a construct is missing or of the wrong type.",
    "Correct the property.",
  ],
  ERR_SCOPE_INVALID: [
    "The scope of a token is not account or project, or its project name is missing or misplaced.",
    words`Give scope = "account", or scope = "project" with ${setting("project_name")}.`,
  ],
  ERR_NAME_INVALID: [
    "A name is empty, padded with white space, too long or has control characters.",
    "Give the whole name, without white space at its ends.",
  ],
  ERR_ACCOUNT_INVALID: [
    "The account number is not a string in the expected format.",
    "Give it as a string, as the upper right corner of the control panel shows it.",
  ],
  ERR_DURATION_INVALID: ["A duration cannot be read.", "Write it as number and unit."],
  ERR_ROTATION_THRESHOLD: [
    "The token's lifetime is not longer than the threshold, so every run would rotate it.",
    words`Give a smaller threshold (${setting("rotate_when_remaining")}, ${setting("min_remaining")}). ${OF_A_SCHEDULE}`,
  ],
  ERR_TERRAFORM_TOO_OLD: [
    "A write-only argument is given, and Terraform does not know such arguments.",
    "Use Terraform 1.11 or OpenTofu 1.11, or newer, or remove the argument.",
  ],
  ERR_IMPORT_REFUSED: [
    "A token or a rotation cannot be imported.",
    "Declare it without an import: the first apply issues a token, or starts the count.",
  ],
  ERR_STATIC_SOURCE_INVALID: [
    "A static token has no source, or more than one.",
    "Give exactly one of env, file, command and value.",
  ],
  ERR_STATIC_SOURCE_NOT_ALLOWED: [
    "The variable or file of a static token is not in IAM_TOKENS_ALLOWED_STATIC_SOURCES.",
    "Correct env or file, or let whoever set the list add it. Nothing was read.",
  ],
  // The identity service's answer.
  ERR_CREDENTIALS_REJECTED: [
    "The service refused the credentials (401; an application credential also 404, an identity token also 403 and 404).",
    "Check the possible causes in turn. The request was not repeated.",
  ],
  ERR_SECOND_FACTOR_REQUIRED: [
    "The service requires a second factor of this user.",
    `Let an administrator add ["application_credential"] to the user's multi_factor_auth_rules, then sign in with one; or sign in with the identity token of the CI system, or as another user. The request was not repeated.`,
  ],
  ERR_IDENTITY_TOKEN_INVALID: [
    "An identity token does not have the form of a JWT.",
    "Check that its variable, file or command gives the whole token, alone.",
  ],
  ERR_REQUEST_REFUSED: [
    "The service answered with another 4xx status.",
    "Check names and address; give the request id to the service's support.",
  ],
  ERR_ENDPOINT_NOT_FOUND: [
    "The service answered 404: there is no identity service at this address.",
    "Correct the address.",
  ],
  ERR_REDIRECTED: [
    "The service answered with a redirect, which is never followed.",
    "Give the final address: curl -sI prints where this one leads.",
  ],
  ERR_RATE_LIMITED: [
    "The service answered 429 to every attempt.",
    words`Give a longer ${setting("retry_for")}, in which a Retry-After is followed, run all of the pipeline under ${OWN_COMMAND} run, which issues each token once, or request fewer tokens at a time.`,
  ],
  ERR_SERVICE_FAILED: [
    "The service answered with a 5xx status to every attempt.",
    "Run again later; give the request id to the service's support.",
  ],
  ERR_ANSWER_UNEXPECTED: [
    "The service's answer has an unknown status, or is not usable HTTP.",
    "Check the address, and the proxies between.",
  ],
  ERR_TOKEN_HIDDEN: [
    "The service accepts a token, but does not let it ask about itself or revoke itself.",
    "To end it for sure, delete its application credential, or replace its user's password.",
  ],
  ERR_TOKEN_HEADER_INVALID: [
    "The service answered 201 without one usable X-Subject-Token.",
    "Check the proxies between.",
  ],
  ERR_NO_ANSWER: [
    "The service did not answer in time.",
    "Check address, network and proxy; run again.",
  ],
  ERR_CONNECTION_FAILED: [
    "The connection to the service failed.",
    "Check address, name resolution, network and proxy (HTTPS_PROXY, NO_PROXY).",
  ],
  ERR_PROXY_INVALID: [
    "The proxy in HTTPS_PROXY cannot be used.",
    "Set it to http://host:port or https://host:port, or add the service's host to NO_PROXY.",
  ],
  ERR_PROXY_REFUSED: [
    "The proxy did not connect to the service.",
    "Check the proxy's credentials and rules, or add the service's host to NO_PROXY.",
  ],
  ERR_TLS_FAILED: [
    "The service's certificate, or the client certificate, was not accepted.",
    words`Give the service's CA, which replaces the public ones: ${setting("ca_file")}, OS_CACERT, or cacert in clouds.yaml. Or add some, such as a company's: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, or those of the system with NODE_USE_SYSTEM_CA=1. If that is given, the service may not send its intermediate certificate: add it to the file. OS_INSECURE and verify have no effect.`,
  ],
  ERR_SCOPE_MISMATCH: [
    "The service issued a token with a scope other than the requested one.",
    "Report it to the service's support; the token is not used.",
  ],
  ERR_TOKEN_EXPIRED: [
    "The service issued a token that has already expired.",
    "Compare this machine's clock with the service's.",
  ],
  ERR_LIFETIME_TOO_SHORT: [
    "The token's lifetime is shorter than min_remaining.",
    words`Give a smaller ${setting("min_remaining")}. ${OF_A_SCHEDULE}`,
  ],
  ERR_CANCELLED: ["The operation was cancelled.", "Run again."],
  // Synthesis.
  ERR_PROVIDER_FILES_MISSING: [
    "The embedded provider is not in the package.",
    "Install the package again; in a checkout run npm run build.",
  ],
  ERR_WRITE_FAILED: [
    "A file in the output folder cannot be written.",
    "Free disk space, or make the folder writable.",
  ],
  ERR_TOKENS_NOT_RESOLVED: [
    "A token with resolution: synth has no value at synthesis.",
    "Declare all tokens, then await resolveTokens(app) or call new SynthTokens(app).resolve(), then call app.synth().",
  ],
  ERR_RESOLUTION_FAILED: [
    "Not every token could be resolved before synthesis.",
    "Fix the listed errors; each has its own code. Nothing was written. To destroy resources that need no token, set IAM_TOKENS_SKIP_RESOLVE=1.",
  ],
  ERR_RESOLUTION_UNKNOWN: [
    "A token depends on a value that only Terraform knows.",
    "Give literals, SecretRef.env or SecretRef.file, or choose TokenResolution.ephemeral().",
  ],
  ERR_FILE_NOT_OURS: [
    "The file for tokens exists, and is not this package's.",
    "Rename your file; Terraform reads every *.auto.tfvars.json.",
  ],
  ERR_HCL_OUTPUT: [
    "A stack with tokens is written as HCL; cdktf's HCL drops ephemeral blocks and breaks others.",
    "Synthesize JSON, without --hcl: Terraform reads it as it reads HCL.",
  ],
  ERR_STATIC_TOKEN_IN_STATE: [
    "A static token, which never expires, would be stored in plan and state.",
    "Use TokenResolution.ephemeral(), or set allowInState: true.",
  ],
  ERR_NAME_TAKEN: [
    "Two stacks have a variable of the same name.",
    "Give one of the constructs another id.",
  ],
  ERR_OUTPUT_NAME_TAKEN: [
    "Two outputs of a stack have the same name.",
    "Give one of the TokenOutputs another id or prefix.",
  ],
  ERR_EPHEMERAL_OUTPUT: [
    "An ephemeral token cannot be an output.",
    "Use TokenResolution.rotating() (a static token: TokenResolution.data(); TokenResolution.synth({ allowInState: true })).",
  ],
  ERR_ROTATING_MISPLACED: [
    "A rotating token is used in a provider block, which needs it in each plan.",
    "Use TokenResolution.ephemeral() in provider blocks.",
  ],
  ERR_TOKEN_MISPLACED: [
    "A token is used where others can read it: the id of an import, a hook's command line.",
    "Remove it there, or follow the advice in the message.",
  ],
  ERR_REVOKED_TOKEN_STORED: [
    "A token that is revoked when its block is closed is stored by a resource.",
    "Remove revokeOnClose, or declare another token for this use.",
  ],
  ERR_NUMBER_LOST: [
    "The program's language has made text or an integer of a number that only Terraform knows.",
    "In a string, use rotationId in place of rotation; elsewhere, give the number as it is.",
  ],
  ERR_KIND_UNSUITABLE: [
    "A token's kind cannot manage the product area that assertMayManage names.",
    "Declare a token of one of the named kinds.",
  ],
  ERR_OTHER_STACK: [
    "A construct from another stack was passed, or a token is used outside its own stack.",
    "Declare it in that stack as well: each stack has its own identity service and tokens.",
  ],
  // Rotation on a schedule.
  ERR_SCHEDULE_INVALID: ["A rotation schedule has an invalid value.", "Correct the named value."],
  ERR_SCHEDULE_GAP: [
    "Under this schedule a consumer could hold a token that has expired.",
    "Run more often, tolerate fewer missed runs, or shorten the apply.",
  ],
  ERR_PROVIDER_SOURCE_INVALID: [
    "The address of the provider in a registry cannot be one of this provider.",
    'Correct "cdktf-iam-tokens:providerSource" in the context of cdktf.json (or --provider-source), or remove it: the provider inside the package is then used.',
  ],
  // The command.
  ERR_RUN_PROVIDER_FAILED: [
    "The provider of iam-tokens run could not start, or ended before the command.",
    "Run again; report it with the output of TF_LOG=debug.",
  ],
  ERR_RUN_UNSUPPORTED: [
    "The command iam-tokens run does not work on Windows.",
    "Run the command without iam-tokens run, or both in WSL.",
  ],
  ERR_COMMAND_NOT_RUN: [
    "The command of iam-tokens run cannot be started.",
    `Check its name and PATH. Shell syntax needs a shell: ${OWN_COMMAND} run -- sh -c '…'.`,
  ],
  ERR_STATE_INVALID: [
    "The input of iam-tokens revoke or verify cannot be read, or is not a Terraform state.",
    "Give a state, its backup, or the output of terraform state pull.",
  ],
  ERR_WORKING_FOLDER_GONE: [
    "The folder that iam-tokens was started in has been removed.",
    'Change into an existing folder. If this folder was created again: cd "$PWD".',
  ],
  ERR_USAGE: ["A command was given invalid arguments.", "Run it with --help."],
  // The testing entry.
  ERR_TESTING_CONFIG_INVALID: [
    "The configuration of the identity service or the leak scanner is wrong.",
    "Correct the named part.",
  ],
  ERR_LISTEN_FAILED: [
    "A server for tests cannot listen on its address.",
    "Give another port, or 0 for any free one.",
  ],
} as const satisfies Record<string, Meaning>;

/** The closed union of stable error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;
