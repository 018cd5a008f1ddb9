#!/bin/sh
# Fails when a rotation is overdue: then scheduled runs are being missed. It runs apart from them,
# because a run that does not start cannot say so. It needs no password: an output is read from the
# state alone.
#
#   STACK=production ./check-rotation.sh
#
#   CDK          the command line that synthesizes: cdktf (the default), or cdktn of CDK Terrain
#   OUTPUT       the stack's output with the rotate_at of its rotation (default: rotate_at)
#   GRACE_HOURS  how long after rotate_at the next run that counts may end: the interval, the start
#                delay and the longest apply (default: 7, for a run every 6 hours); beyond it, a run
#                has been missed
#   VERIFY       1: also ask the service at AUTH_URL whether the tokens of the state are alive, which a
#                revocation or a changed password ends
#   STORED       for a token that is pushed: the command that prints what the store holds, such as
#                "vault kv get -field=token kv/web/api-token"; the service is asked about that, at
#                AUTH_URL. The state alone cannot say whether a push arrived
set -eu
umask 077

: "${STACK:?Set STACK to the id of the stack.}"
TERRAFORM=${TERRAFORM_BINARY_NAME:-terraform}
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0

if [ "${SYNTH:-1}" = 1 ]; then npx --no-install "${CDK:-cdktf}" synth; fi
cd "cdktf.out/stacks/$STACK"
"$TERRAFORM" init -input=false >/dev/null
if [ "${VERIFY:-0}" = 1 ]; then
  "$TERRAFORM" state pull | npx --no-install "${CDK:-cdktf}-iam-tokens" verify --auth-url "${AUTH_URL:?Set AUTH_URL to the address of the identity service.}"
fi
if [ -n "${STORED:-}" ]; then
  stored=$(sh -c "$STORED")
  printf '%s\n' "$stored" |
    npx --no-install "${CDK:-cdktf}-iam-tokens" verify --auth-url "${AUTH_URL:?Set AUTH_URL to the address of the identity service.}"
fi
rotate_at=$("$TERRAFORM" output -raw "${OUTPUT:-rotate_at}")

exec node -e '
const [rotateAt, grace] = process.argv.slice(1);
const due = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(rotateAt) ? Date.parse(rotateAt) : Number.NaN;
const hours = Number(grace);
if (Number.isNaN(due) || !(hours > 0)) {
  console.error("rotate_at or GRACE_HOURS cannot be read: nobody can say whether runs are missed.");
  process.exit(1);
}
const late = (Date.now() - due) / 3_600_000;
if (late > hours) {
  console.error(
    `A rotation was due at ${rotateAt}, ${late.toFixed(1)} hours ago: ` +
      "scheduled runs have been missed. Look at the last ones.",
  );
  process.exit(1);
}
console.log(`The next rotation is due at ${rotateAt}.`);
' -- "$rotate_at" "${GRACE_HOURS:-7}"
