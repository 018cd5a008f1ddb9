import { PROVIDER_SOURCE } from "../../provider/names";

/**
 * The block for Terraform's command line configuration that names a filesystem mirror. All other
 * providers come from where they came from: a configuration can have one such block only, so that
 * whoever has one already takes what is in it.
 */
export function installationLines(mirror: string): string {
  const [host = ""] = PROVIDER_SOURCE.split("/");
  return `provider_installation {
  filesystem_mirror {
    path    = ${toHclString(mirror)}
    include = ["${host}/*/*"]
  }
  direct {
    exclude = ["${host}/*/*"]
  }
}
`;
}

/** A text as that configuration takes it, which knows neither templates nor variables. */
function toHclString(text: string): string {
  return JSON.stringify(text);
}
