#!/bin/sh
# One scheduled re-apply: synthesizes the stack and applies it. Tokens that are due rotate; if
# nothing is due, nothing changes.
#
#   STACK=production ./re-apply.sh
#
#   CDK   the command line that synthesizes: cdktf (the default), or cdktn of CDK Terrain
#
# The password is never an argument: the stack refers to it (SecretRef.env or SecretRef.file), and
# only the provider reads it.
set -eu
umask 077

: "${STACK:?Set STACK to the id of the stack.}"
# Without it a module of the stack could have the password sent to an address of its own.
: "${IAM_TOKENS_ALLOWED_AUTH_URLS:?Set IAM_TOKENS_ALLOWED_AUTH_URLS to the address of the identity service.}"
# How long to wait for another run that holds the lock of the state. It is part of the start delay
# that the schedule reckons with.
LOCK_TIMEOUT=${LOCK_TIMEOUT:-10m}
TERRAFORM=${TERRAFORM_BINARY_NAME:-terraform}
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0

npx --no-install "${CDK:-cdktf}" synth
cd "cdktf.out/stacks/$STACK"
"$TERRAFORM" init -input=false -lock-timeout="$LOCK_TIMEOUT"
begun=$(date +%s)
# A cancelled run ends Terraform first, and does what follows.
trap : HUP INT TERM
status=0
"$TERRAFORM" apply -auto-approve -input=false -lock-timeout="$LOCK_TIMEOUT" || status=$?
[ "$status" = 0 ] && exit 0

# Many providers save what was planned although their update failed, so no later plan repeats the
# push. What this run rotated is tainted: the next run replaces it, and pushes again. Not what heals
# by itself (a rotation that looks at its store), nor a token that its destroy would revoke.
"$TERRAFORM" state pull | node -e '
const state = JSON.parse(require("node:fs").readFileSync(0, "utf8") || "{}");
const begun = Number(process.argv[1]) * 1000;
for (const { mode, module, type, name, instances } of state.resources ?? [])
  for (const { attributes, index_key: key } of instances) {
    const { rotated_at, pushed_fingerprint, issued_at, revoke_on_destroy } = attributes ?? {};
    const at =
      type === "iam_rotation" && !pushed_fingerprint
        ? Date.parse(rotated_at)
        : type === "iam_token" && !revoke_on_destroy
          ? Date.parse(issued_at) + 300_000 // by the clock of the service
          : Number.NaN;
    if (mode !== "managed" || !(at >= begun)) continue;
    const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
    console.log(`${module === undefined ? "" : `${module}.`}${type}.${name}${index}`);
  }
' -- "$begun" | while IFS= read -r address; do
  "$TERRAFORM" taint -lock-timeout="$LOCK_TIMEOUT" "$address" </dev/null || :
done
exit "$status"
