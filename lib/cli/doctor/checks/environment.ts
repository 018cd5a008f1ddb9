import { existsSync } from "node:fs";
import { attachedSocket, parseReattached, REATTACH } from "../../run/reattach";
import type { Check } from "../check";
import { cross, type Finding, ok, unless, warning } from "../finding";

/** Variables that break or slow what runs here. */
export const checkEnvironment: Check = ({ env }) => {
  const found: Finding[] = [];
  // Throws what the command `run` would say.
  const socket = attachedSocket(parseReattached(env[REATTACH]));
  if (socket !== undefined && !existsSync(socket)) {
    found.push(
      cross(`${REATTACH} names a provider that is not running.`, `Unset it: unset ${REATTACH}.`),
    );
  }
  if (env.NODE_EXTRA_CA_CERTS && Number(process.versions.node.split(".")[0]) < 22) {
    found.push(
      warning(
        "NODE_EXTRA_CA_CERTS makes each start of Node.js 20 about 0.1 s slower; the provider is spared, the CDKTF command line and your program are not.",
        "Use Node.js 22 or newer, or give the file as ca_file or OS_CACERT instead.",
      ),
    );
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    found.push(
      warning(
        "NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect on the provider, and makes all else that Node.js runs here trust anybody.",
        "Unset it; name the certificate authority by ca_file or OS_CACERT.",
      ),
    );
  }
  if (/^(TRACE|DEBUG|JSON)$/i.test(env.TF_LOG ?? "")) {
    found.push(
      warning(
        "TF_LOG has Terraform log what providers say to each other; other providers may print what they are given, tokens included.",
        "Unset it where logs are kept, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
      ),
    );
  }
  return unless(found, () => ok("Nothing in it that breaks or slows the provider."));
};
