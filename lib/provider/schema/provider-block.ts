import type { BlockSchema } from "../../plugin/provider";
import { argument } from "./attribute";

/**
 * `provider "iam"`. Everything is optional: configuring with nothing set is never an error, only
 * opening or reading a token is.
 */
export const PROVIDER_BLOCK: BlockSchema = {
  description:
    "The identity service and the service user that IAM tokens are issued to. All of address, account, user and password come from one " +
    "place: this block, the entry of clouds.yaml that it names, or the environment (OS_CLOUD, or OS_AUTH_URL, OS_USER_DOMAIN_NAME, " +
    "OS_USERNAME and OS_PASSWORD). Static tokens need none of it.",
  attributes: {
    auth_url: argument(
      "string",
      "Address of the identity service. One that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets " +
        "/identity/v3. https only, except on loopback.",
    ),
    account_id: argument("string", "Account number, as a text."),
    user_name: argument("string", "Name of the service user."),
    password: argument(
      "string",
      "Password of the service user. Rather refer to it by password_env or password_file.",
      {
        sensitive: true,
      },
    ),
    password_env: argument(
      "string",
      "Name of the environment variable that holds the password of the service user.",
    ),
    password_file: argument(
      "string",
      "File that holds the password of the service user; one newline at its end is cut. Relative to Terraform's working folder.",
    ),
    cloud: argument(
      "string",
      "Entry of clouds.yaml that gives the credentials, with secure.yaml laid over it; the files are looked for as openstacksdk does.",
    ),
    clouds_folder: argument(
      "string",
      "Folder in which clouds.yaml and secure.yaml are looked for first, and that relative files in them, in OS_CLIENT_CONFIG_FILE, " +
        "OS_CLIENT_SECURE_FILE and OS_CACERT start from. By default Terraform's working folder.",
    ),
    base_url: argument(
      "string",
      "Base address of the product APIs: all destinations of the IAM tokens of this block must fall under it, in scheme, host, port and " +
        "path. By default any address may.",
    ),
    ca_file: argument(
      "string",
      "PEM file of the certificate authorities that the identity service's certificate may come from, instead of the public ones. By " +
        "default OS_CACERT, when the environment gives the credentials.",
    ),
    cert_file: argument("string", "PEM file of the client certificate; with key_file."),
    key_file: argument(
      "string",
      "PEM file of the client certificate's key, not encrypted; with cert_file.",
    ),
    package_version: argument(
      "string",
      "Version of cdktf-iam-tokens that has synthesized this block; constructs give it. A provider of another version refuses the block. " +
        "By default nothing is compared.",
    ),
  },
};
