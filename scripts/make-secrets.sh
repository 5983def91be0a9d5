#!/bin/sh
# Creates the missing files that compose.postgres.yaml needs: passwords and a secret below secrets/, and a self-signed
# certificate for testing below tls/. Keeps existing files. The optional argument is the host name in the certificate
# (default: localhost).
set -eu
cd "$(dirname "$0")/.."
name=${1:-localhost}
umask 077
mkdir -p secrets tls
chmod 700 secrets tls

random() {
  od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'
}

# make FILE TEXT: creates the file if it is missing or empty. All users may read the file, because the containers run
# with other user ids (1000 for the service, 999 for PostgreSQL); the mode of the folder protects the file.
make() {
  if [ ! -s "$1" ]; then
    printf '%s' "$2" >"$1"
    echo "$1 angelegt"
  fi
  chmod 644 "$1"
}

make secrets/database_password "$(random 24)"
make secrets/database_url "postgres://training:$(cat secrets/database_password)@database/training"
make secrets/session_secret "$(random 32)"
make secrets/admin_password "$(random 9)"

if [ ! -s tls/fullchain.pem ] && [ ! -s tls/privkey.pem ] && command -v openssl >/dev/null; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=$name" \
    -addext "subjectAltName=DNS:$name" -keyout tls/privkey.pem -out tls/fullchain.pem 2>/dev/null
  echo "tls/ angelegt: ein selbst signiertes Zertifikat für $name, 90 Tage gültig, nur zum Ausprobieren"
fi
if [ ! -s tls/fullchain.pem ] || [ ! -s tls/privkey.pem ]; then
  echo 'Es fehlen tls/fullchain.pem und tls/privkey.pem: bitte das eigene Zertifikat dort ablegen.' >&2
  exit 1
fi
chmod 600 tls/privkey.pem
echo 'Anmeldung: admin, Passwort in secrets/admin_password'
