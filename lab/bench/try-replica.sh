#!/bin/sh
# Makes a streaming replica of a local PostgreSQL, starts an instance of the service on each, and asks them a few things.
# Usage: DATABASE_PORT=5432 DATABASE_NAME=training bench/try-replica.sh
set -eu
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
primary=${DATABASE_PORT:-5432}
replica=$((primary + 1))
folder=$(mktemp -d)
as_postgres() { if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$*"; else sh -c "$*"; fi; }
stop() {
  kill $(cat "$folder"/39*.pid) 2>/dev/null || true
  as_postgres "$programs/pg_ctl -m immediate -D $folder/data stop" > /dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
chmod 777 "$folder"
as_postgres "$programs/pg_basebackup -h 127.0.0.1 -p $primary -U postgres -D $folder/data -R -X stream -c fast"
as_postgres "$programs/pg_ctl -w -D $folder/data -l $folder/log -o '-p $replica -c listen_addresses=127.0.0.1 -c unix_socket_directories=$folder' start" > /dev/null
export LOG_LEVEL=fatal SESSION_SECRET="a secret that only the benchmark knows" ADMIN_USERNAME=admin ADMIN_PASSWORD=nur-zum-messen
PORT=3903 DATABASE_URL="postgres://postgres@127.0.0.1:$primary/${DATABASE_NAME:-training}" node dist/src/cli.js serve & echo $! > "$folder/3903.pid"
sleep 3
PORT=3904 DATABASE_URL="postgres://postgres@127.0.0.1:$replica/${DATABASE_NAME:-training}" node dist/src/cli.js serve & echo $! > "$folder/3904.pid"
sleep 4
ask() { curl -s -o /dev/null -w "%{http_code} $*\n" -c "$folder/cookies" -b "$folder/cookies" "$@" || true; }
login='{"username":"admin","password":"nur-zum-messen"}'
ask -H 'Content-Type: application/json' -d "$login" http://127.0.0.1:3903/api/auth/login
sleep 1
ask http://127.0.0.1:3904/readyz
ask http://127.0.0.1:3904/api/decks
ask http://127.0.0.1:3904/api/quiz/generate
ask 'http://127.0.0.1:3904/api/cheatsheets/search?q=Docker'
ask http://127.0.0.1:3904/api/decks/export-anki
ask -H 'Content-Type: application/json' -d '{"total":1,"correct":1}' http://127.0.0.1:3904/api/quiz/submit
ask -H 'Content-Type: application/json' -d '{"total":1,"correct":1}' http://127.0.0.1:3903/api/quiz/submit
psql -h 127.0.0.1 -p "$replica" -U postgres -XAtc "select 'replay lag: ' || coalesce(now() - pg_last_xact_replay_timestamp(), '0')" postgres
