# Node.js comes with this launcher; on Linux for each C library, of which Alpine may seem to have both.
# Children find the one of PATH: that variable stays.
node=$here/node/node
if [ -d "$here/node/glibc" ]; then
  node=$here/node/musl/bin/node
  if [ ! -e /etc/alpine-release ]; then
    for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
      [ ! -e "$loader" ] || node=$here/node/glibc/node
    done
  fi
fi
[ -x "$node" ] || node=node
