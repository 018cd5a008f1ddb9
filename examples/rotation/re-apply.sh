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
"$TERRAFORM" apply -auto-approve -input=false -lock-timeout="$LOCK_TIMEOUT"
