// Set up before each file of the group `opentofu`: its Terraform is the OpenTofu that has been
// built here, or the one on PATH.
import { openTofu } from "../open-tofu";

process.env.TERRAFORM_BINARY_NAME = openTofu() ?? "tofu";
