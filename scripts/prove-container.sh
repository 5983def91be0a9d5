#!/bin/sh
# Proves the Dockerfile where no container engine runs: does its COPY and RUN steps in empty folders, with the Node
# major of its FROM line (the package behind `node` in the npm registry), and starts the result as an unprivileged user
# (when run as root) with everything but the data folder read-only to it.
# Not proven: the base image itself, USER, VOLUME, HEALTHCHECK as Docker runs them, and compose.yaml.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
server=
cleanup() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"

major=$(sed -n 's/^FROM node:\([0-9]*\)-.*/\1/p' "$root/Dockerfile" | head -n 1)
mkdir "$work/node" "$work/build" "$work/app" "$work/data"
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
package="node-linux-$arch"
npm install --prefix "$work/node" --no-audit --no-fund --silent "$package@$major"
PATH="$work/node/node_modules/$package/bin:$PATH"
export PATH
echo "node $(node --version)"

# Runs the steps of one stage: COPY from the repository or the build stage, RUN in the stage's folder.
stage() {
  number=$1
  folder=$2
  awk -v wanted="$number" '/^FROM /{stage++} stage == wanted && /^(COPY|RUN) /' "$root/Dockerfile" | while read -r verb rest; do
    case "$verb $rest" in
      "COPY --from=build "*)
        # shellcheck disable=SC2086
        set -- $rest
        cp -R "$work/build/${2#/app/}" "$folder/${3%/}"
        ;;
      COPY*)
        # The last word is the target.
        # shellcheck disable=SC2086
        set -- $rest
        while [ $# -gt 1 ]; do
          for last in "$@"; do :; done
          if [ "$last" = ./ ]; then cp -R "$root/$1" "$folder/"; else cp -R "$root/$1" "$folder/$last"; fi
          shift
        done
        ;;
      "RUN mkdir -p /data"*) ;; # here the data folder is another
      RUN*)
        echo "RUN $rest"
        (cd "$folder" && sh -c "$rest" >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
        ;;
    esac
  done
}
stage 1 "$work/build"
stage 2 "$work/app"
if [ -e "$work/app/node_modules/typescript" ]; then echo "development dependencies are left"; exit 1; fi
du -sh "$work/app" | cut -f 1

run=
if [ "$(id -u)" = 0 ]; then
  chown -R nobody "$work/data"
  chmod -R go-w "$work/app"
  run="setpriv --reuid=nobody --regid=nogroup --clear-groups"
fi
# shellcheck disable=SC2086
(cd "$work/app" && exec env -i PATH="$PATH" HOME=/nonexistent NODE_ENV=production HOST=127.0.0.1 PORT=0 DATA_DIR="$work/data" \
  CONTENT_DIR="$work/app/content" $run node dist/src/cli.js serve) >"$work/out" 2>&1 &
server=$!
i=0
until address=$(sed -n 's/.*läuft: //p' "$work/out") && [ -n "$address" ]; do
  i=$((i + 1))
  if [ $i -gt 300 ] || ! kill -0 "$server"; then cat "$work/out"; exit 1; fi
  sleep 0.2
done
port=${address##*:}
PORT=$port node -e "$(sed -n 's/.*CMD \["node", "-e", "\(.*\)"\]$/\1/p' "$root/Dockerfile")"
echo "HEALTHCHECK passes"
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
echo "SIGTERM: exit status $code"
[ "$code" = 0 ]
