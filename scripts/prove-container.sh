#!/bin/sh
# Tests the Dockerfile without a container engine or an image registry. buildah builds the image in chroot isolation, on
# a base image made of Debian's packages and of Node and npm from the npm registry. Then the image runs with its Env,
# User and Cmd as in a container: process 1 of a PID namespace, without capabilities, on a read-only root with a data
# volume and mounted content.
# Needs root and Debian's packages buildah and mmdebstrap.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
namespace=
cleanup() {
  if [ -n "$namespace" ]; then kill "$namespace" 2>/dev/null || true; fi
  buildah umount --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"

buildah() {
  command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"
}

base=$(sed -n 's/^FROM \(node:[^ ]*\).*/\1/p' "$root/Dockerfile" | sort -u)
major=${base#node:}
major=${major%%-*}
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac

echo "stand-in for $base"
# Node 25 and later is linked with libatomic1; the official image also contains this library.
# shellcheck disable=SC1091
mmdebstrap --variant=minbase --include=ca-certificates,libatomic1 "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
  "$work/base" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
npm install --prefix "$work/registry" --no-audit --no-fund --silent "node-linux-$arch@$major" npm
cp "$work/registry/node_modules/node-linux-$arch/bin/node" "$work/base/usr/local/bin/"
mkdir -p "$work/base/usr/local/lib/node_modules"
cp -R "$work/registry/node_modules/npm" "$work/base/usr/local/lib/node_modules/"
for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$work/base/usr/local/bin/$name"; done
chroot "$work/base" groupadd --gid 1000 node
chroot "$work/base" useradd --uid 1000 --gid node --create-home node
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/base" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
# A private registry may need a certificate and settings; these files are mounted and not copied into the image.
set --
for file in /etc/npmrc "$(npm config get userconfig 2>/dev/null)"; do
  if [ -f "$file" ]; then set -- "$@" --volume "$file:$file:ro"; fi
done
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  set -- "$@" --volume "$NODE_EXTRA_CA_CERTS:/extra-ca.pem:ro"
  buildah config --env NODE_EXTRA_CA_CERTS=/extra-ca.pem "$container"
fi
buildah commit --quiet "$container" "docker.io/library/$base" >/dev/null
buildah rm "$container" >/dev/null

buildah bud --isolation chroot --format docker --pull-never "$@" --tag svc-training "$root" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
grep -E 'STEP [0-9]+/[0-9]+: (FROM|RUN|USER)' "$work/log"
container=$(buildah from --pull-never localhost/svc-training)
image=$(buildah mount "$container")
for path in node_modules/typescript node_modules/vite src web scripts lab test secrets tls data; do
  if [ -e "$image/app/$path" ]; then echo "$path is in the image"; exit 1; fi
done
echo "node $(chroot "$image" node --version), /app $(du -sh "$image/app" | cut -f 1)"

# setting NAME: prints a field of the image configuration as shell arguments.
setting() {
  buildah inspect --type image localhost/svc-training | node -e "
    const { config } = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).Docker
    console.log([config.$1].flat().map((word) => \`'\${word}'\`).join(' '))"
}
user=$(setting User)
mkdir -p "$work/data" "$work/content/decks" "$work/content/cheatsheets" "$image/proc"
printf -- '---\nname: Probe\n---\n## Frage?\n<!-- id: probe; level: a -->\n\n### Antwort\nJa.\n' >"$work/content/decks/probe.md"
chown -R 1000:1000 "$work/data"
cat >"$work/start" <<EOF
set -e
mount --bind "$image" "$image"
mount -t proc proc "$image/proc"
mount --bind /dev "$image/dev"
mount -t tmpfs tmpfs "$image/tmp"
mount --bind "$work/data" "$image/data"
mount --bind "$work/content" "$image/app/content"
mount -o remount,bind,ro "$image/app/content"
mount -o remount,bind,ro "$image"
cd "$image"
exec chroot . env -i $(setting Env) HOST=127.0.0.1 PORT=0 \
  setpriv --reuid=$user --regid=$user --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
  sh -c 'cd /app; if touch /app/written 2>/dev/null; then echo "the root can be written"; exit 1; fi; exec "\$@"' sh $(setting Cmd)
EOF
unshare --mount --pid --fork --kill-child sh "$work/start" >"$work/out" 2>&1 &
namespace=$!
i=0
until address=$(sed -n 's/.*läuft: //p' "$work/out") && [ -n "$address" ]; do
  i=$((i + 1))
  if [ $i -gt 300 ] || ! kill -0 "$namespace" 2>/dev/null; then cat "$work/out"; exit 1; fi
  sleep 0.2
done
grep -q 'Inhalte importiert: 1 Decks, 1 Karten' "$work/out"
echo 'starts on a read-only root with mounted content'
service=$(cat "/proc/$namespace/task/$namespace/children")
service=${service%% *}
grep -Eq '^NSpid:.*[[:space:]]1$' "/proc/$service/status"
grep -Eq '^Uid:[[:space:]]+1000[[:space:]]' "/proc/$service/status"
grep -Eq '^CapBnd:[[:space:]]+0+$' "/proc/$service/status"
echo 'node is process 1, unprivileged, without capabilities'
health=$(setting Healthcheck.Test)
health=${health#"'CMD' "}
eval "nsenter --target $service --mount --pid --root --wd env PORT=${address##*:} $health"
echo 'HEALTHCHECK passes'
nsenter --target "$service" --mount --pid --root --wd env node -e "
  fetch('$address/').then(async (response) => {
    const html = await response.text()
    const [script] = /assets\/[^\"]+\.js/.exec(html) ?? []
    const loaded = await fetch('$address/' + script)
    process.exit(response.ok && loaded.ok && loaded.headers.has('content-encoding') ? 0 : 1)
  }, () => process.exit(1))"
echo 'the page is there, and its script is compressed'
kill -TERM "$service"
code=0
wait "$namespace" || code=$?
namespace=
echo "SIGTERM: exit status $code"
[ "$code" = 0 ]
